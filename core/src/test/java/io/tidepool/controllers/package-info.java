/** Tests of the controllers. */
@NullMarked
package io.tidepool.controllers;

import org.jspecify.annotations.NullMarked;
