package io.poolkeeper.controllers;

/**
 * Part of additional jobs that pile up behind the connections: the slope of connections in use over
 * threads at work, by least squares over the last windows. Once a resource is saturated, all
 * further jobs queue there [1], so the slope is near 1 if it is behind the connections, and near 0
 * if it is in front of them.
 *
 * <p>[1] Lazowska and others, Quantitative System Performance, 1984, chapter 5: asymptotic bounds.
 */
final class Marginal {

  /** Seconds in which the weight of a window falls to 1/e. */
  private static final double MEMORY_SECONDS = 30;

  /** Standard deviation of the threads, as a fraction of their mean, that tells something. */
  private static final double LEAST_VARIATION = 0.05;

  private static final double HALF = 0.5;

  private double weight;
  private double meanThreads;
  private double meanConnections;
  private double variance;
  private double covariance;

  /**
   * Adds a window.
   *
   * @param threads mean number at work
   * @param connections mean number in use
   */
  void add(double threads, double connections, double seconds) {
    if (!(seconds > 0 && threads >= 0 && connections >= 0)
        || !Double.isFinite(threads + connections + seconds)) {
      return;
    }
    double kept = StrictMath.exp(-seconds / MEMORY_SECONDS);
    weight = kept * weight + 1;
    double share = 1 / weight;
    double away = threads - meanThreads;
    double awayConnections = connections - meanConnections;
    meanThreads += share * away;
    meanConnections += share * awayConnections;
    variance = (1 - share) * (variance + share * away * away);
    covariance = (1 - share) * (covariance + share * away * awayConnections);
  }

  /** Returns the slope; NaN while the threads did not vary. */
  double slope() {
    return Math.sqrt(variance) > LEAST_VARIATION * meanThreads ? covariance / variance : Double.NaN;
  }

  /** Returns whether most of what is added queues behind the connections. */
  boolean behindConnections() {
    return slope() > HALF;
  }
}
