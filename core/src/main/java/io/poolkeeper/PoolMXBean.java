package io.poolkeeper;

/**
 * The MXBean of a tuned pool, {@code io.poolkeeper:type=Pool,name="<its name>"}. Durations are in
 * milliseconds for its human readers.
 */
public interface PoolMXBean {

  /** Returns the size in force. */
  int getSize();

  /** Returns the smallest size that decisions may choose. */
  int getMinimum();

  /** Returns the largest size that decisions may choose. */
  int getMaximum();

  /** Returns the name of the controller. */
  String getController();

  /** Returns the mode: {@code active}, {@code dry-run} or {@code frozen}. */
  String getMode();

  /**
   * Changes the mode while the pool runs.
   *
   * @throws IllegalArgumentException if it is not one of the three
   */
  void setMode(String mode);

  /** Returns the last decision with its reason; empty before the first. */
  String getLastDecision();

  /** Returns the completions per second in the last window. */
  double getThroughput();

  /** Returns the mean response time in the last window, milliseconds. */
  double getMeanResponseTime();

  /** Returns the 99th percentile of the response time in the last window, milliseconds. */
  double getP99ResponseTime();

  /** Returns the time-weighted mean of busy workers or held permits in the last window. */
  double getBusy();

  /** Returns the time-weighted mean of waiting tasks in the last window. */
  double getQueue();

  /**
   * Sets the size. Unless the mode is frozen, the controller continues from there.
   *
   * @throws IllegalArgumentException if it is out of bounds
   */
  void resize(int size);
}
