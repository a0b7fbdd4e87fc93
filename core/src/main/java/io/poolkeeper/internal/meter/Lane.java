package io.poolkeeper.internal.meter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A padded slot guarded by a try-lock, which also holds permits of the gate of a limiter. The
 * thread inside may use the fields until it exits, and must not wait for anything meanwhile.
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

  /** Longer than a thread stays inside, unless it has lost its processor. */
  private static final int SPINS = 100;

  @SuppressWarnings("unused") // through TAKEN
  private volatile boolean taken;

  /** Whether a thread waits in {@link #enterNext}. */
  volatile boolean reserved;

  /** Whether a permit returned here may stay. */
  public boolean open;

  /** The lane that was opened before this one; guarded by the lock of the gate. */
  public @Nullable Lane openBefore;

  /** Free permits held here; 0 unless it is open. */
  public int permits;

  /** Enters if no thread is inside and none has reserved the next turn. */
  public final boolean tryEnter() {
    return !reserved && take();
  }

  /** Enters as soon as the thread inside has left, before later callers of {@link #tryEnter}. */
  public final void enterNext() {
    if (take()) {
      return;
    }
    int tries = 0;
    do {
      reserved = true; // Set each time, because another waiting thread clears it when it enters.
      pause(tries++);
    } while (!take());
    reserved = false;
  }

  /** Spins until the thread inside has left, and yields the processor if that takes long. */
  public static void pause(int tries) {
    if (tries < SPINS) {
      Thread.onSpinWait();
    } else {
      try {
        LockSupport.parkNanos(1_000);
      } catch (OutOfMemoryError e) { // By a virtual thread; returning a permit must not fail.
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
