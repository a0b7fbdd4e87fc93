/** Tests of policies, and of what runs them on a real pool. */
@NullMarked
package io.poolkeeper.testbed.controllers;

import org.jspecify.annotations.NullMarked;
