package io.tidepool.controllers;

/**
 * How much work there is: the largest number of tasks in the system lately, and how many arrive.
 *
 * @param present tasks that run or wait: rises at once, falls within seconds
 * @param fast arrivals per second, mean over about 2 s
 * @param slow arrivals per second, mean over about 8 s
 */
public record Demand(double present, double fast, double slow) {

  static final Demand NONE = new Demand(0, 0, 0);

  private static final double FALL_SECONDS = 3;
  private static final double FAST_SECONDS = 2;
  private static final double SLOW_SECONDS = 8;

  Demand with(Reading reading) {
    double now = reading.busy() + reading.waiting();
    double rate = reading.arrivals() / reading.seconds();
    return new Demand(
        now > present ? now : moved(present, now, reading.seconds(), FALL_SECONDS),
        fast == 0 ? rate : moved(fast, rate, reading.seconds(), FAST_SECONDS),
        slow == 0 ? rate : moved(slow, rate, reading.seconds(), SLOW_SECONDS));
  }

  private static double moved(double from, double to, double elapsed, double constant) {
    return from + (to - from) * Math.min(1, elapsed / constant);
  }

  /** Arrivals per second, rather too many than too few. */
  double arrivals() {
    return Math.max(fast, slow);
  }
}
