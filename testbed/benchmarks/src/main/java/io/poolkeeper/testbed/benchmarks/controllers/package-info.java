/** Measures how near to the best size a controller comes, in virtual time. */
@NullMarked
package io.poolkeeper.testbed.benchmarks.controllers;

import org.jspecify.annotations.NullMarked;
