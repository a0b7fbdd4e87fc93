package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;

/**
 * Way down of a large pool whose reward fell deep, before it is known whether the fall is a stall.
 * If it was a collapse, the pool left it at once. If it was a stall, the pool lost a window or two,
 * so the next way down must wait, and longer each time.
 *
 * @param underWay whether the pool goes down, or has no window at the smaller size yet
 * @param since seconds since the last way down that was in vain
 * @param pause least of them before the next, 0 without one in vain
 * @param start size at which it began
 * @param drained windows on the way in which many workers were busy
 */
record Descent(boolean underWay, double since, double pause, int start, WindowAccumulator drained) {

  static final Descent NONE = new Descent(false, 0, 0, 0, WindowAccumulator.EMPTY);

  /** Lets a window pass. */
  Descent afterSeconds(double seconds) {
    return new Descent(underWay, since + seconds, pause, start, drained);
  }

  /** Returns whether the pool may go down. */
  boolean allowed() {
    return !underWay && since >= pause;
  }

  /** Begins a way down. */
  Descent begun(int size) {
    return new Descent(true, since, pause, size, WindowAccumulator.EMPTY);
  }

  /** Adds a window on the way down, unless few workers are left. */
  Descent with(Observation window) {
    return underWay && window.busy() > start / 2.0
        ? new Descent(true, since, pause, start, drained.plus(window))
        : this;
  }

  /** Adds what many workers did on the way to the knowledge of the work that is new. */
  Knowledge addTo(Knowledge knowledge, Noise noise) {
    return underWay && drained.hasEnoughCompletions()
        ? knowledge.withDraining(drained.observation(), knowledge.posterior(), noise)
        : knowledge;
  }

  /** Ends a way down that was called for: the work has changed. */
  Descent proved() {
    return underWay ? NONE : this;
  }

  /** Ends a way down after which the work is what it was. */
  Descent inVain() {
    double next = Math.max(Tuning.VAIN_DESCENT_SECONDS, 2 * pause);
    return underWay ? new Descent(false, 0, next, 0, WindowAccumulator.EMPTY) : this;
  }
}
