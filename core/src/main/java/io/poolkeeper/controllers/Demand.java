package io.poolkeeper.controllers;

/**
 * How much work there is: the largest number of tasks in the system lately, and how many arrive.
 *
 * @param present tasks that run or wait: rises at once, falls within seconds
 * @param fast arrivals per second, mean over about 2 s in which the size did not bind
 * @param slow arrivals per second, mean over about 8 s
 * @param slack how much of the usual headroom is kept, from 0 to 1: falls while nothing waits,
 *     rises when tasks do
 */
public record Demand(double present, double fast, double slow, double slack) {

  static final Demand NONE = new Demand(0, 0, 0, 1);

  private static final double FALL_SECONDS = 3;
  private static final double FAST_SECONDS = 2;
  private static final double SLOW_SECONDS = 8;

  /** Slack falls to a third in so many seconds without waiting. */
  private static final double SLACK_SECONDS = 15;

  /** Waiting tasks to running ones: below it nothing waits, above it too many do. */
  private static final double HARDLY = 0.02;

  private static final double MANY = 0.1;

  /** Headroom for any number of workers, and more for few: it is of their square root. */
  private static final double HEADROOM = 0.05;

  private static final double HEADROOM_OF_FEW = 0.3;

  Demand with(Reading reading) {
    double now = reading.present();
    double rate = reading.arrivals() / reading.seconds();
    return new Demand(
        now > present ? now : moved(present, now, reading.seconds(), FALL_SECONDS),
        // While the size binds, closed users arrive as fast as they are served, no faster.
        reading.telling()
            ? 0
            : fast == 0 ? rate : moved(fast, rate, reading.seconds(), FAST_SECONDS),
        slow == 0 ? rate : moved(slow, rate, reading.seconds(), SLOW_SECONDS),
        slackAfter(reading));
  }

  private double slackAfter(Reading reading) {
    double waiting = reading.waiting() / Math.max(1, reading.busy());
    if (waiting > MANY) {
      return Math.min(1, 1.5 * slack + 0.1);
    }
    return waiting < HARDLY ? moved(slack, 0, reading.seconds(), SLACK_SECONDS) : slack;
  }

  private static double moved(double from, double to, double elapsed, double constant) {
    return from + (to - from) * Math.min(1, elapsed / constant);
  }

  /** Completions per second that a size must be able to reach where it does not bind. */
  double enough(double busy) {
    double headroom = HEADROOM + HEADROOM_OF_FEW / Math.sqrt(Math.max(1, busy));
    return Math.max(fast, slow) * (1 + slack * headroom);
  }

  /** Workers that could have something to do. */
  double useful(boolean binding) {
    return binding ? present : present * (1 + HEADROOM * slack) + slack * Math.sqrt(present);
  }

  /** Arrivals per second. */
  double arrivals() {
    return Math.max(fast, slow);
  }
}
