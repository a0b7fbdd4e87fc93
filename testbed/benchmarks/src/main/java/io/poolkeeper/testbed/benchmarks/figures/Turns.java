package io.poolkeeper.testbed.benchmarks.figures;

import io.poolkeeper.testbed.commands.ProgressText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Several that are measured in turns, so that whatever else the machine does meets all of them.
 * Each other round goes through them backwards.
 */
public final class Turns {

  /**
   * Measures one of them once.
   *
   * @param <S> what is measured
   * @param <V> the result
   */
  @FunctionalInterface
  public interface Measurement<S, V> {
    /** Takes a turn. */
    V take(S side) throws Exception;
  }

  private Turns() {}

  /**
   * Returns the results of each, in the order of the rounds, and shows progress meanwhile.
   *
   * @param what name of the measurement, for progress
   * @param warmUps first rounds, whose results do not count
   */
  public static <S, V> Map<S, List<V>> take(
      String what, List<S> sides, int warmUps, int rounds, Measurement<S, V> measurement)
      throws Exception {
    List<S> backwards = new ArrayList<>(sides);
    Collections.reverse(backwards);
    Map<S, List<V>> results = new LinkedHashMap<>();
    sides.forEach(side -> results.put(side, new ArrayList<>()));
    try (ProgressText progress = new ProgressText(what)) {
      for (int i = 0; i < warmUps + rounds; i++) {
        boolean counts = i >= warmUps;
        progress.accept(
            counts
                ? "%s: round %d of %d".formatted(what, i - warmUps + 1, rounds)
                : "%s: warm-up %d of %d".formatted(what, i + 1, warmUps));
        for (S side : i % 2 == 0 ? sides : backwards) {
          V value = measurement.take(side);
          if (counts) {
            results.getOrDefault(side, List.of()).add(value);
          }
        }
      }
    }
    return results;
  }

  /** Returns the ratio of each round. */
  public static List<Double> ratios(List<Double> values, List<Double> base) {
    return IntStream.range(0, base.size()).mapToObj(i -> values.get(i) / base.get(i)).toList();
  }

  /** Returns the difference of each round. */
  public static List<Double> differences(List<Double> values, List<Double> base) {
    return IntStream.range(0, base.size()).mapToObj(i -> values.get(i) - base.get(i)).toList();
  }
}
