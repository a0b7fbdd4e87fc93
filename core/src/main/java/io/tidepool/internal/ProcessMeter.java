package io.tidepool.internal;

import io.tidepool.Window;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** CPU time and collection time of this process between two readings, one system call in all. */
final class ProcessMeter {

  private static final List<GarbageCollectorMXBean> COLLECTORS =
      ManagementFactory.getGarbageCollectorMXBeans();

  private long cpu = cpuNow();
  private long gc = gcNow();

  /** Nanoseconds of CPU since the last call, or {@link Window#NOT_MEASURED}. */
  long cpu() {
    long now = cpuNow();
    long used = now < 0 || cpu < 0 ? Window.NOT_MEASURED : now - cpu;
    cpu = now;
    return used;
  }

  /** Nanoseconds of collection since the last call; the JVM counts whole milliseconds. */
  long gc() {
    long now = gcNow();
    long used = now - gc;
    gc = now;
    return used;
  }

  private static long cpuNow() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean bean
        ? bean.getProcessCpuTime()
        : Window.NOT_MEASURED;
  }

  private static long gcNow() {
    long millis = 0;
    for (GarbageCollectorMXBean collector : COLLECTORS) {
      millis += Math.max(0, collector.getCollectionTime());
    }
    return millis * 1_000_000;
  }
}
