package io.poolkeeper;

/**
 * A tuned pool as JMX shows it, under {@code io.poolkeeper:type=Pool,name="<its name>"}. Durations
 * are milliseconds here, because people read them.
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
   * Sets the size by hand; unless the mode is frozen the controller goes on from there.
   *
   * @throws IllegalArgumentException if it is out of bounds
   */
  void resize(int size);
}
