package io.poolkeeper.testbed.tunnel.plant;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;

/**
 * The plants of the tunnel. Their capacities lie between 200 and 400 tasks a second: enough for a
 * window of a second to hold a sample, few enough for minutes of virtual time to take milliseconds.
 */
public final class Plants {

  /** Capacity to which recorded curves are scaled, tasks a second; their shape is what counts. */
  private static final double RECORDED_CAPACITY = 300;

  /** Processors of the machine on which a pool of the tunnel runs. */
  public static final int PROCESSORS = 2;

  private static final List<TaskClass> ALIKE = List.of(new TaskClass(1, 1));

  /** All, by name, in the order in which they are shown. */
  public static final Map<String, Plant> ALL = all();

  private Plants() {}

  private static Map<String, Plant> all() {
    Map<String, Plant> byName = new LinkedHashMap<>();
    for (Plant plant :
        List.of(
            plant(
                "cpu",
                "computation on two cores",
                "100 min(k, 2) / (1 + 0.002 max(0, k − 2)): cores, and switching among threads",
                k -> 100.0 * Math.min(k, PROCESSORS) / (1 + 0.002 * Math.max(0, k - PROCESSORS)),
                0.010,
                "wide"),
            plant(
                "database",
                "a database with contention",
                "universal scalability law, 25 k / (1 + 0.03 (k − 1) + 0.0008 k (k − 1))",
                scalability(25, 0.03, 0.0008),
                0.002,
                "cpu"),
            plant(
                "lock",
                "one lock that every task needs",
                "16 ms outside of the lock, 4 ms inside, 0.4 % longer for each one waiting for it",
                k -> Repairman.throughput(k, 0.016, j -> 250 / (1 + 0.004 * (j - 1))),
                0.004,
                "wide"),
            plant(
                "collapse",
                "collapse under over-allocation",
                "universal scalability law, 40 k / (1 + 0.02 (k − 1) + 0.004 k (k − 1))",
                scalability(40, 0.02, 0.004),
                0.003,
                "wide"),
            plant(
                "plateau",
                "a downstream limit of twelve",
                "25 min(k, 12): more neither helps nor harms",
                k -> 25.0 * Math.min(k, 12),
                0.001,
                "wide"),
            plant(
                "wide",
                "slow calls, optimum near 100",
                "universal scalability law, 8 k / (1 + 0.005 (k − 1) + 0.0001 k (k − 1))",
                scalability(8, 0.005, 0.0001),
                0.001,
                "collapse"),
            mixed(),
            recorded("disk-files", "small files on a disk", "rw_4kb_100us", "wide"),
            recorded("disk-ssd", "large files on an SSD", "rw_sync_10mb-ssd", "wide"),
            recorded("disk-hdd", "large files on a hard disk", "rw_2mb_oneshot", "wide"),
            recorded("disk-flush", "flushes of RocksDB", "fillseq_disable_wal", "cpu"))) {
      byName.put(plant.name(), plant);
    }
    return Collections.unmodifiableMap(byName);
  }

  /** The plant that {@code plant} turns into where the work changes. */
  public static Plant opposite(Plant plant) {
    return Objects.requireNonNull(ALL.get(plant.opposite()));
  }

  private static Plant plant(
      String name,
      String title,
      String law,
      IntToDoubleFunction rate,
      double cpu,
      String opposite) {
    return new Plant(name, title, law, new Curve(rate), cpu, ALIKE, opposite);
  }

  /**
   * Four of five tasks only compute for 5 ms; the fifth waits 150 ms for something else, too. Of
   * the mean task that is 5 ms on one of two cores and 30 ms elsewhere.
   */
  private static Plant mixed() {
    double compute = 0.005;
    double wait = 0.030;
    return new Plant(
        "mixed",
        "short computations and long waits",
        "two cores, 5 ms each task; every fifth waits 150 ms as well",
        new Curve(k -> Repairman.throughput(k, wait, j -> Math.min(j, PROCESSORS) / compute)),
        compute,
        List.of(
            new TaskClass(0.8, compute / (compute + wait)),
            new TaskClass(0.2, (compute + 5 * wait) / (compute + wait))),
        "wide");
  }

  private static Plant recorded(String name, String title, String workload, String opposite) {
    Curve shape = RecordedCurves.smoothed(workload);
    double scale = RECORDED_CAPACITY / shape.capacity();
    return new Plant(
        name,
        title,
        "recorded runtimes of " + workload + " (Timm 2021), smoothed",
        new Curve(k -> scale * shape.at(k)),
        0.001,
        ALIKE,
        opposite);
  }

  /** The universal scalability law (Gunther 2007). */
  private static IntToDoubleFunction scalability(double rate, double contention, double coherence) {
    return k -> rate * k / (1 + contention * (k - 1) + coherence * k * (k - 1));
  }
}
