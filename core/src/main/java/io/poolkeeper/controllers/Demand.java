package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;

/**
 * The demand for workers: the largest number of tasks in the system lately, and their arrivals.
 *
 * @param inSystem tasks that run or wait: rises at once, falls within seconds
 * @param fastArrivals arrivals per second, mean over about 2 s in which the size did not bind
 * @param slowArrivals arrivals per second, mean over about 8 s
 * @param headroom part of the usual headroom, from 0 to 1: falls while nothing waits, rises when
 *     tasks wait
 */
record Demand(double inSystem, double fastArrivals, double slowArrivals, double headroom) {

  static final Demand NONE = new Demand(0, 0, 0, 1);

  /** Returns the demand after a window. */
  Demand afterWindow(Observation window) {
    double now = window.inSystem();
    double rate = window.arrivals() / window.seconds();
    double seconds = window.seconds();
    return new Demand(
        now > inSystem ? now : follow(inSystem, now, seconds, Tuning.DEMAND_FALL_SECONDS),
        // While the size binds, closed users arrive as fast as they are served, no faster.
        window.atCapacity()
            ? 0
            : fastArrivals == 0
                ? rate
                : follow(fastArrivals, rate, seconds, Tuning.FAST_ARRIVAL_SECONDS),
        slowArrivals == 0 ? rate : follow(slowArrivals, rate, seconds, Tuning.SLOW_ARRIVAL_SECONDS),
        headroomAfter(window));
  }

  /** Returns the demand of at least so many tasks in the system. */
  Demand ofAtLeast(double tasks) {
    return new Demand(Math.max(inSystem, tasks), fastArrivals, slowArrivals, headroom);
  }

  private double headroomAfter(Observation window) {
    double waiting = window.waiting() / Math.max(1, window.busy());
    if (waiting > Tuning.MANY_WAITING) {
      return Math.min(1, Tuning.HEADROOM_GROWTH * headroom + Tuning.HEADROOM_STEP);
    }
    return waiting < Tuning.FEW_WAITING
        ? follow(headroom, 0, window.seconds(), Tuning.HEADROOM_FALL_SECONDS)
        : headroom;
  }

  private static double follow(double before, double now, double elapsed, double constant) {
    return before + (now - before) * Math.min(1, elapsed / constant);
  }

  /** Returns the completions per second that a size must be able to reach if it does not bind. */
  double requiredRate(double busy) {
    double share = Tuning.HEADROOM + Tuning.SINGLE_HEADROOM / Math.sqrt(Math.max(1, busy));
    return arrivals() * (1 + headroom * share);
  }

  /** Returns the number of workers that could have something to do. */
  double usefulWorkers(boolean atCapacity) {
    return atCapacity
        ? inSystem
        : inSystem * (1 + Tuning.HEADROOM * headroom) + headroom * Math.sqrt(inSystem);
  }

  /** Returns the arrivals per second. */
  double arrivals() {
    return Math.max(fastArrivals, slowArrivals);
  }
}
