@NullMarked
package io.poolkeeper.testbed.benchmarks.controllers;

import org.jspecify.annotations.NullMarked;
