package io.poolkeeper.internal.heap;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Time in which garbage collection has stopped the process since its start. Pauses count.
 * Concurrent cycles (ZGC, Shenandoah) count while the heap is nearly full: allocating threads then
 * wait for them, and the JVM does not report for how long.
 */
public final class CollectionTime {

  /** Part of the heap in use from which threads wait for a concurrent cycle. */
  private static final double FULL = 0.95;

  private static final GarbageCollectorMXBean[] PAUSES = beans(false);
  private static final GarbageCollectorMXBean[] CYCLES = beans(true);

  /** Milliseconds of all cycles at the last reading, and of those that stopped threads. */
  private static long cyclesSeen;

  private static long stalled;

  private CollectionTime() {}

  private static GarbageCollectorMXBean[] beans(boolean concurrent) {
    List<GarbageCollectorMXBean> all = ManagementFactory.getGarbageCollectorMXBeans();
    return all.stream()
        .filter(bean -> bean.getName().endsWith("Cycles") == concurrent)
        .toArray(GarbageCollectorMXBean[]::new);
  }

  /** Returns the time, nanoseconds; the JVM counts whole milliseconds. Allocates nothing. */
  public static long nanos() {
    return (millis(PAUSES) + stalls()) * 1_000_000;
  }

  /** Returns the used part of the largest possible heap, from 0 to 1. Allocates nothing. */
  private static double heapInUse() {
    Runtime runtime = Runtime.getRuntime();
    return (double) (runtime.totalMemory() - runtime.freeMemory()) / runtime.maxMemory();
  }

  private static long stalls() {
    if (CYCLES.length == 0) {
      return 0;
    }
    long cycles = millis(CYCLES);
    synchronized (CYCLES) {
      if (heapInUse() > FULL) {
        stalled += cycles - cyclesSeen;
      }
      cyclesSeen = cycles;
      return stalled;
    }
  }

  private static long millis(GarbageCollectorMXBean[] beans) {
    long millis = 0;
    for (GarbageCollectorMXBean bean : beans) {
      millis += Math.max(0, bean.getCollectionTime());
    }
    return millis;
  }
}
