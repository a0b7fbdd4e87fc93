package io.poolkeeper.internal.meter;

import io.poolkeeper.Window;
import io.poolkeeper.internal.heap.CollectionTime;
import java.lang.management.ManagementFactory;

/**
 * Measures CPU time and collection time of this process between two readings. Windows that close
 * within a millisecond share a reading, which costs as much as the rest of a window.
 */
public final class ProcessMeter {

  private static final long FRESH = 1_000_000;

  /** Resources used up to a time. */
  private record Reading(long at, long cpu, long gc) {}

  private static volatile Reading latest = read(System.nanoTime());

  private Reading before = now();
  private Reading after = before;

  /** Begins the next interval. */
  public void advance() {
    before = after;
    after = now();
  }

  /** Returns the CPU time of the last interval, nanoseconds, or {@link Window#NOT_MEASURED}. */
  public long cpu() {
    return before.cpu < 0 || after.cpu < 0 ? Window.NOT_MEASURED : after.cpu - before.cpu;
  }

  /** Returns the collection time of the last interval, nanoseconds in whole milliseconds. */
  public long gc() {
    return after.gc - before.gc;
  }

  private static Reading now() {
    long now = System.nanoTime();
    Reading reading = latest;
    if (Long.compareUnsigned(now - reading.at, FRESH) > 0) { // Also if it lies in the future.
      reading = read(now);
      latest = reading;
    }
    return reading;
  }

  private static Reading read(long now) {
    return new Reading(now, cpuNow(), CollectionTime.nanos());
  }

  private static long cpuNow() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean bean
        ? bean.getProcessCpuTime()
        : Window.NOT_MEASURED;
  }
}
