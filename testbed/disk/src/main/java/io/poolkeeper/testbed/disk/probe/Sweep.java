package io.poolkeeper.testbed.disk.probe;

import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Measures throughput by the number of threads. All numbers take turns within a repetition, every
 * second time in reverse, so that a disk that is slower for a while is slower for all alike.
 */
final class Sweep {

  private final ThroughputMeter meter;

  Sweep(ThroughputMeter meter) {
    this.meter = meter;
  }

  /**
   * Runs all of it.
   *
   * @param progress gets a line of text before each point
   */
  Map<Access, Curve> run(List<Integer> threads, int repetitions, Consumer<String> progress)
      throws BadStorage {
    Map<Access, Map<Integer, List<Double>>> rates = new EnumMap<>(Access.class);
    int total = Access.values().length * repetitions * threads.size();
    int done = 0;
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (Access access : Access.values()) {
        for (int i = 0; i < threads.size(); i++) {
          int count = threads.get(repetition % 2 == 0 ? i : threads.size() - 1 - i);
          progress.accept(
              "%d of %d: %s, %d thread%s"
                  .formatted(++done, total, access.text(), count, count == 1 ? "" : "s"));
          rates
              .computeIfAbsent(access, key -> new TreeMap<>())
              .computeIfAbsent(count, key -> new ArrayList<>())
              .add(meter.measure(access, count));
        }
      }
    }
    Map<Access, Curve> curves = new EnumMap<>(Access.class);
    rates.forEach((access, points) -> curves.put(access, Curve.of(points)));
    return curves;
  }
}
