package io.poolkeeper;

/** Yields {@link Window}s, each beginning where the one before it ended. */
public interface Sensor {

  /**
   * Ends the current window and begins the next. Called by one thread at a time, usually the one of
   * a {@link ControlLoop}; two callers would take windows away from each other.
   *
   * @param now the reading of the monotonic clock at which the window ends, not before its start
   */
  Window closeWindow(long now);
}
