package io.poolkeeper.testbed.controllers.rules;

/**
 * Correlation of two quantities over their last pairs.
 *
 * <p>It is 0 with fewer pairs than the warm-up, and while one of the two varies by less than 1 % of
 * its mean: noise would decide otherwise.
 */
final class CorrelationWindow {

  private static final double LEAST_VARIATION = 0.01;

  private final double[] first;
  private final double[] second;
  private final int warmUp;
  private int size;
  private int next;
  private double correlation;
  private double variation;

  /**
   * @param capacity pairs that count
   * @param warmUp pairs without which the correlation is 0
   */
  CorrelationWindow(int capacity, int warmUp) {
    this.first = new double[capacity];
    this.second = new double[capacity];
    this.warmUp = warmUp;
  }

  /** Adds a pair, and forgets the oldest one where there is no room. */
  void add(double x, double y) {
    first[next] = x;
    second[next] = y;
    next = (next + 1) % first.length;
    size = Math.min(first.length, size + 1);
    compute();
  }

  private void compute() {
    correlation = 0;
    variation = 0;
    if (size < Math.max(2, warmUp)) {
      return;
    }
    double meanX = mean(first);
    double meanY = mean(second);
    double varianceX = 0;
    double varianceY = 0;
    double covariance = 0;
    for (int i = 0; i < size; i++) {
      varianceX += (first[i] - meanX) * (first[i] - meanX) / size;
      varianceY += (second[i] - meanY) * (second[i] - meanY) / size;
      covariance += (first[i] - meanX) * (second[i] - meanY) / size;
    }
    variation = Math.sqrt(varianceY) / meanY;
    if (Math.sqrt(varianceX) / meanX >= LEAST_VARIATION && variation >= LEAST_VARIATION) {
      correlation = covariance / Math.sqrt(varianceX * varianceY);
    }
  }

  private double mean(double[] values) {
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += values[i];
    }
    return sum / size;
  }

  /** Correlation of the two, from -1 to 1. */
  double correlation() {
    return correlation;
  }

  /** Coefficient of variation of the second quantity; 0 during the warm-up. */
  double variation() {
    return variation;
  }
}
