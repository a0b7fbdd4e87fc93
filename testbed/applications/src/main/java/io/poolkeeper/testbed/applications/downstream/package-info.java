/**
 * The downstream server that the application {@code call} calls: a process of its own with a known
 * capacity, which slows under more load and can be told to fail.
 */
@NullMarked
package io.poolkeeper.testbed.applications.downstream;

import org.jspecify.annotations.NullMarked;
