package io.poolkeeper;

/** A source of consecutive {@link Window}s. */
public interface Sensor {

  /**
   * Ends the current window and begins the next. One thread at a time calls it, usually that of a
   * {@link ControlLoop}; two callers would split the windows between them.
   *
   * @param now the reading of the monotonic clock at which the window ends, not before its start
   */
  Window closeWindow(long now);
}
