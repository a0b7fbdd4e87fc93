/** Tests of policies, and of what runs them on a real pool. */
@NullMarked
package io.tidepool.testbed.controllers;

import org.jspecify.annotations.NullMarked;
