package io.poolkeeper.testbed.simulator.statistics;

/**
 * Statistics of one request, as clients saw it, after the warm-up.
 *
 * @param clients who sent it
 * @param request its name
 * @param completions how many were answered
 * @param failures how many were refused or failed on the way
 * @param throughput completions per second
 * @param responseTime of those that were answered, seconds
 */
public record RequestStats(
    String clients,
    String request,
    long completions,
    long failures,
    Estimate throughput,
    TimesEstimate responseTime) {

  /** Completions within {@code seconds}, per second. */
  public double goodput(double seconds) {
    return completions == 0 ? 0 : throughput.value() * responseTime.within(seconds);
  }
}
