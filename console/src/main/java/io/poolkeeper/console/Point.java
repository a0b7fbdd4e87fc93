package io.poolkeeper.console;

import io.poolkeeper.Window;

/**
 * Windows of a pool, in one point of a chart.
 *
 * @param at end, milliseconds since 1970
 * @param seconds length
 * @param size mean of the sizes
 * @param throughput completions per second
 * @param busy mean of busy workers or held permits
 * @param queue mean of waiting tasks
 * @param mean response time, milliseconds; 0 without completions
 * @param p99 of the response time, milliseconds; of several windows the largest
 * @param failures number of failed and refused tasks
 */
record Point(
    long at,
    double seconds,
    double size,
    double throughput,
    double busy,
    double queue,
    double mean,
    double p99,
    long failures) {

  static Point of(long at, Window window) {
    return new Point(
        at,
        window.seconds(),
        window.size(),
        finite(window.throughput()),
        finite(window.busy()),
        finite(window.queueMean()),
        finite(window.responseTime().mean() / 1e6),
        finite(window.responseTime().p99() / 1e6),
        window.failures() + window.rejections());
  }

  /** This point and a later one in one. */
  Point and(Point next) {
    double both = seconds + next.seconds;
    double share = both > 0 ? next.seconds / both : 0.5;
    double tasks = throughput * seconds + next.throughput * next.seconds;
    double time = mean * throughput * seconds + next.mean * next.throughput * next.seconds;
    return new Point(
        next.at,
        both,
        mix(size, next.size, share),
        mix(throughput, next.throughput, share),
        mix(busy, next.busy, share),
        mix(queue, next.queue, share),
        tasks > 0 ? time / tasks : 0,
        Math.max(p99, next.p99),
        failures + next.failures);
  }

  private static double mix(double before, double after, double share) {
    return before + share * (after - before);
  }

  private static double finite(double value) {
    return Double.isFinite(value) ? value : 0;
  }
}
