package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A search for the best size with exact readings. It tries the sizes of a geometric grid once each,
 * nearest to its start first, halves the gaps beside the best of them, and stays there.
 */
final class SizeSearch {

  private static final int START = 16;

  /** Gaps between sizes that are not halved, as the logarithm of their ratio. */
  private static final double NEAR = 0.1;

  private final NavigableMap<Integer, Double> seen = new TreeMap<>();
  private final Deque<Integer> planned;
  private int size = START;
  private boolean ended;

  /**
   * A search from size 16 on.
   *
   * @param factor between neighbours of the first grid, above 1
   */
  SizeSearch(double factor) {
    this.planned = new ArrayDeque<>(grid(factor));
  }

  /** Returns the size that is tried, or the best of all that were tried. */
  int size() {
    return size;
  }

  /** Returns whether nothing is left to try. */
  boolean ended() {
    return ended;
  }

  /**
   * Takes the reading of the size that is tried and goes on to the next. Without effect once the
   * search has ended.
   *
   * @param rate completions per second
   */
  void read(double rate) {
    if (ended) {
      return;
    }
    seen.put(size, rate);
    int next = planned.isEmpty() ? between() : planned.poll();
    ended = next == 0;
    size = ended ? best() : next;
  }

  private int best() {
    return Collections.max(seen.entrySet(), Map.Entry.comparingByValue()).getKey();
  }

  /** The sizes of the grid but for the start, nearest to it first. */
  private static List<Integer> grid(double factor) {
    List<Integer> sizes = new ArrayList<>();
    for (double size = START; Math.round(size) >= 1; size /= factor) {
      sizes.add((int) Math.round(size));
    }
    for (double size = START * factor; Math.round(size) <= Curve.LARGEST; size *= factor) {
      sizes.add((int) Math.round(size));
    }
    return sizes.stream()
        .distinct()
        .filter(size -> size != START)
        .sorted(Comparator.comparing(size -> Math.abs(Math.log(size / (double) START))))
        .toList();
  }

  /** The middle of the wider gap beside the best size, or 0 if both are narrow. */
  private int between() {
    int best = best();
    Integer lower = seen.lowerKey(best);
    Integer higher = seen.higherKey(best);
    double below = lower == null ? 0 : Math.log(best / (double) lower);
    double above = higher == null ? 0 : Math.log(higher / (double) best);
    int middle =
        below > above
            ? (int) Math.round(Math.sqrt((double) best * lower))
            : higher == null ? best : (int) Math.round(Math.sqrt((double) best * higher));
    return Math.max(below, above) < NEAR || seen.containsKey(middle) ? 0 : middle;
  }
}
