package io.poolkeeper.controllers;

import io.poolkeeper.Window;

/**
 * What the processors did in a window.
 *
 * @param count that the work may use
 * @param collecting share of the time in garbage collection, from 0 to 1
 */
record Processors(int count, Window window, Reading reading, double collecting) {

  /** Processors idle up to this fraction. */
  private static final double IDLE = 0.5;

  /** Processors are busy from this fraction on. */
  private static final double CPU_SATURATED = 0.92;

  /** Workers that use so much of their busy time on a processor compute rather than wait. */
  private static final double COMPUTING = 0.5;

  /** Whether the processors have little to do, garbage collection included. */
  boolean idle() {
    double available = count * reading.seconds() * 1e9;
    return window.processCpu() >= 0 && window.processCpu() < IDLE * available && collecting < IDLE;
  }

  /** Whether the workers compute more than they wait, and all processors are busy. */
  boolean saturated() {
    double available = count * reading.seconds() * 1e9;
    double computing = window.workerCpu() / (reading.busy() * reading.seconds() * 1e9);
    return computing > COMPUTING
        && Math.max(window.workerCpu(), window.processCpu()) > CPU_SATURATED * available;
  }
}
