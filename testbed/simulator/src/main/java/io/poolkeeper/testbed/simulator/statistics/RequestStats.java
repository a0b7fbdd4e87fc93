package io.poolkeeper.testbed.simulator.statistics;

import java.util.List;

/**
 * Statistics of one request, as clients saw it, after the warm-up.
 *
 * @param clients who sent it
 * @param request its name
 * @param completions how many were answered
 * @param failures how many were refused or failed on the way
 * @param throughput completions per second
 * @param responseTime of those that were answered, seconds
 * @param rates completions per second of each batch
 * @param goodputs completions within a bound per second of each batch, by the run's bounds
 */
public record RequestStats(
    String clients,
    String request,
    long completions,
    long failures,
    Estimate throughput,
    TimesEstimate responseTime,
    List<Double> rates,
    List<List<Double>> goodputs) {

  /** Completions within {@code seconds}, per second. */
  public double goodput(double seconds) {
    return completions == 0 ? 0 : throughput.value() * responseTime.within(seconds);
  }
}
