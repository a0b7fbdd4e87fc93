package io.tidepool.testbed.tunnel;

/** What one run left behind. */
final class Trace {

  private final double[] work;
  private final Steps sizes;
  private final long completions;
  private final double meanResponseSeconds;

  /**
   * @param work expected completions in each second: the rate of the plant at the number of tasks
   *     in service, disturbances included, integrated over the second. Completions themselves would
   *     add the chance of each task's work
   * @param sizes the sizes that the pool had
   * @param completions tasks that ended
   * @param meanResponseSeconds mean response time of these
   */
  Trace(double[] work, Steps sizes, long completions, double meanResponseSeconds) {
    this.work = work.clone();
    this.sizes = sizes;
    this.completions = completions;
    this.meanResponseSeconds = meanResponseSeconds;
  }

  /** Length of the run. */
  int seconds() {
    return work.length;
  }

  /** Expected completions from one second to another. */
  double work(int from, int to) {
    double sum = 0;
    for (int second = from; second < to; second++) {
      sum += work[second];
    }
    return sum;
  }

  Steps sizes() {
    return sizes;
  }

  long completions() {
    return completions;
  }

  double meanResponseSeconds() {
    return meanResponseSeconds;
  }
}
