/**
 * Sizing rules of other systems that decide at every sample, as {@link
 * io.poolkeeper.testbed.controllers.rules.SampleRule}s and, made of them, as policies.
 */
@NullMarked
package io.poolkeeper.testbed.controllers.rules;

import org.jspecify.annotations.NullMarked;
