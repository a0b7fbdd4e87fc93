package io.poolkeeper.internal.meter;

import io.poolkeeper.Window;
import io.poolkeeper.internal.heap.CollectionTime;
import java.lang.management.ManagementFactory;

/**
 * CPU time and collection time of this process between two readings. Windows that close within a
 * millisecond share a reading: it costs as much as all else that one of them needs.
 */
public final class ProcessMeter {

  private static final long FRESH = 1_000_000;

  /** Resources used up to a time. */
  private record Reading(long at, long cpu, long gc) {}

  private static volatile Reading latest = read(System.nanoTime());

  private Reading before = now();
  private Reading after = before;

  /** Begins the next interval now. */
  public void advance() {
    before = after;
    after = now();
  }

  /** Nanoseconds of CPU in the interval before, or {@link Window#NOT_MEASURED}. */
  public long cpu() {
    return before.cpu < 0 || after.cpu < 0 ? Window.NOT_MEASURED : after.cpu - before.cpu;
  }

  /** Nanoseconds of collection in the interval before; the JVM counts whole milliseconds. */
  public long gc() {
    return after.gc - before.gc;
  }

  private static Reading now() {
    long now = System.nanoTime();
    Reading reading = latest;
    if (Long.compareUnsigned(now - reading.at, FRESH) > 0) { // Of the future as well.
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
