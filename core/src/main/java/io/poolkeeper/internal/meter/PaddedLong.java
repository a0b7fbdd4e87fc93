package io.poolkeeper.internal.meter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An atomic number in cache lines of its own. Otherwise each change would also invalidate its
 * neighbours in memory.
 */
public final class PaddedLong extends PaddedLongValue {

  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(PaddedLong.class, "value", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  long after1;
  long after2;
  long after3;
  long after4;
  long after5;
  long after6;
  long after7;
  long after8;

  public PaddedLong(long value) {
    super(value);
  }

  public long get() {
    return value;
  }

  public boolean compareAndSet(long expected, long next) {
    return VALUE.compareAndSet(this, expected, next);
  }

  public long getAndAdd(long delta) {
    return (long) VALUE.getAndAdd(this, delta);
  }
}

/** The value, between the padding of its superclass and that of its subclass. */
class PaddedLongValue extends Padding {
  volatile long value;

  PaddedLongValue(long value) {
    this.value = value;
  }
}
