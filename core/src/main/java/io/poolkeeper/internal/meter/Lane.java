package io.poolkeeper.internal.meter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A padded slot for one thread at a time, and the permits that the gate of a limiter keeps there.
 * The thread inside may use its fields until it exits, and waits for nothing meanwhile.
 */
public class Lane extends Padding {

  private static final VarHandle TAKEN;

  static {
    try {
      TAKEN = MethodHandles.lookup().findVarHandle(Lane.class, "taken", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Longer than anybody is inside, unless that thread has lost its processor. */
  private static final int SPINS = 100;

  @SuppressWarnings("unused") // through TAKEN
  private volatile boolean taken;

  /** Somebody waits in {@link #enterNext}. */
  volatile boolean reserved;

  /** Whether a permit that is given back here may stay. */
  public boolean open;

  /** The lane that was opened before this one; under the lock of the gate. */
  public @Nullable Lane openBefore;

  /** Free permits that are kept here; 0 unless it is open. */
  public int permits;

  /** Enters if nobody is inside and nobody is to be the next. */
  public final boolean tryEnter() {
    return !reserved && take();
  }

  /** Enters as soon as who is inside has left; later comers of {@link #tryEnter} do not get in. */
  public final void enterNext() {
    if (take()) {
      return;
    }
    int tries = 0;
    do {
      reserved = true; // Again each time: another that waited here takes it back when it gets in.
      pause(tries++);
    } while (!take());
    reserved = false;
  }

  /** Passes the time until somebody has left, and leaves it the processor if that takes long. */
  public static void pause(int tries) {
    if (tries < SPINS) {
      Thread.onSpinWait();
    } else {
      try {
        LockSupport.parkNanos(1_000);
      } catch (OutOfMemoryError e) { // Of a virtual thread; who gives back a permit must not fail.
        Thread.onSpinWait();
      }
    }
  }

  private boolean take() {
    return !(boolean) TAKEN.getOpaque(this) && TAKEN.compareAndSet(this, false, true);
  }

  public final void exit() {
    TAKEN.setRelease(this, false);
  }
}
