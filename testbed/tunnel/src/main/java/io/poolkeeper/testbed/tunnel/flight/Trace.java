package io.poolkeeper.testbed.tunnel.flight;

/** Data that one run left behind. */
public final class Trace {

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
  public Trace(double[] work, Steps sizes, long completions, double meanResponseSeconds) {
    this.work = work.clone();
    this.sizes = sizes;
    this.completions = completions;
    this.meanResponseSeconds = meanResponseSeconds;
  }

  /** Length of the run. */
  public int seconds() {
    return work.length;
  }

  /** Expected completions from one second to another. */
  public double work(int from, int to) {
    double sum = 0;
    for (int second = from; second < to; second++) {
      sum += work[second];
    }
    return sum;
  }

  /** The sizes over time. */
  public Steps sizes() {
    return sizes;
  }

  /** Tasks that ended. */
  public long completions() {
    return completions;
  }

  /** Mean response time of the tasks that ended, seconds. */
  public double meanResponseSeconds() {
    return meanResponseSeconds;
  }
}
