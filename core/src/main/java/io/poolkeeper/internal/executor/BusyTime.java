package io.poolkeeper.internal.executor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Busy time of one worker, running task included. That worker writes it; any thread reads it.
 *
 * <p>The state is one number, so readers never see half a change. While the worker is idle, it is
 * the time spent in ended tasks. While it is busy, the start of the running task is subtracted, so
 * that adding the present gives the time until now. The lowest bit distinguishes the two.
 * Arithmetic may overflow, because only differences are used.
 */
final class BusyTime {

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(BusyTime.class, "state", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long state;

  void started(long now) {
    STATE.setRelease(this, (((long) STATE.get(this) >> 1) - now) << 1 | 1);
  }

  void ended(long now) {
    STATE.setRelease(this, (((long) STATE.get(this) >> 1) + now) << 1);
  }

  /** Returns the nanoseconds spent in tasks until {@code now}. */
  long until(long now) {
    long read = state;
    return (read & 1) == 0 ? read >> 1 : (read >> 1) + now;
  }

  /** Returns the raw state, which changes only when a task starts or ends. */
  long state() {
    return state;
  }

  boolean busy() {
    return (state & 1) != 0;
  }
}
