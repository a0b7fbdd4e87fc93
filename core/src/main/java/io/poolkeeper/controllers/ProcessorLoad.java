package io.poolkeeper.controllers;

import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.Tuning;

/**
 * Load of the processors in a window.
 *
 * @param count processors that the work may use
 * @param collecting share of the time in garbage collection, from 0 to 1
 */
record ProcessorLoad(int count, Window window, Observation observation, double collecting) {

  /** Returns whether the processors have little to do, garbage collection included. */
  boolean idle() {
    double available = count * observation.seconds() * 1e9;
    return window.processCpu() >= 0
        && window.processCpu() < Tuning.PROCESSORS_IDLE * available
        && collecting < Tuning.PROCESSORS_IDLE;
  }

  /** Returns whether the workers compute more than they wait, and all processors are busy. */
  boolean saturated() {
    double available = count * observation.seconds() * 1e9;
    double computing = window.workerCpu() / (observation.busy() * observation.seconds() * 1e9);
    return computing > Tuning.COMPUTING
        && Math.max(window.workerCpu(), window.processCpu())
            > Tuning.PROCESSORS_SATURATED * available;
  }
}
