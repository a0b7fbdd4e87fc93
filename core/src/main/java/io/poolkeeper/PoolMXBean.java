package io.poolkeeper;

/**
 * The MXBean of a tuned pool, {@code io.poolkeeper:type=Pool,name="<its name>"}. Durations are in
 * milliseconds for its human readers.
 */
public interface PoolMXBean {

  /** Size in force. */
  int getSize();

  /** Smallest size that decisions may choose. */
  int getMinimum();

  /** Largest size that decisions may choose. */
  int getMaximum();

  /** Name of the controller. */
  String getController();

  /** {@code active}, {@code dry-run} or {@code frozen}. */
  String getMode();

  /**
   * Changes the mode while the pool runs.
   *
   * @throws IllegalArgumentException if it is not one of the three
   */
  void setMode(String mode);

  /** Last decision with its reason; empty before the first. */
  String getLastDecision();

  /** Completions per second in the last window. */
  double getThroughput();

  /** Mean response time in the last window, milliseconds. */
  double getMeanResponseTime();

  /** 99th percentile of the response time in the last window, milliseconds. */
  double getP99ResponseTime();

  /** Time-weighted mean of busy workers or held permits in the last window. */
  double getBusy();

  /** Time-weighted mean of waiting tasks in the last window. */
  double getQueue();

  /**
   * Sets the size. Unless the mode is frozen, the controller continues from there.
   *
   * @throws IllegalArgumentException if it is out of bounds
   */
  void resize(int size);
}
