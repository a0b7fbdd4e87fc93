package io.poolkeeper.internal.executor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Busy time of one worker, running task included; written by that worker, read by anyone.
 *
 * <p>The whole state is one number, so a reader never sees half of a change. Idle: the time spent
 * in ended tasks. Busy: that time less the start of the running task, so that adding the present
 * gives the time up to now. The lowest bit tells the two apart. Arithmetic wraps around, which does
 * no harm: only differences are used.
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

  /** Nanoseconds spent in tasks until {@code now}. */
  long until(long now) {
    long read = state;
    return (read & 1) == 0 ? read >> 1 : (read >> 1) + now;
  }

  /** The number itself; the same as long as nothing has started or ended. */
  long state() {
    return state;
  }

  boolean busy() {
    return (state & 1) != 0;
  }
}
