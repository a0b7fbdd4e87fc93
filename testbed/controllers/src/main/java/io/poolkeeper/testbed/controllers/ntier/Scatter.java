package io.poolkeeper.testbed.controllers.ntier;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Points of concurrency and rate over the last windows, and their means at each concurrency. */
final class Scatter {

  /**
   * A window.
   *
   * @param concurrency time-weighted mean number of tasks at work
   * @param rate completions per second
   */
  record Point(double concurrency, double rate) {}

  /**
   * All points of one concurrency.
   *
   * @param concurrency rounded, 1 or more
   * @param rate mean of their rates
   * @param points how many
   */
  record Group(int concurrency, double rate, int points) {}

  private final int capacity;
  private final Deque<Point> points = new ArrayDeque<>();

  /**
   * @param capacity points that count; the oldest are forgotten
   */
  Scatter(int capacity) {
    this.capacity = capacity;
  }

  void add(double concurrency, double rate) {
    points.addLast(new Point(concurrency, rate));
    if (points.size() > capacity) {
      points.removeFirst();
    }
  }

  void addAll(List<Point> more) {
    more.forEach(point -> add(point.concurrency, point.rate));
  }

  /** Returns the points, the oldest first. */
  List<Point> points() {
    return List.copyOf(points);
  }

  /** Returns the mean rate at each concurrency that was seen, in its order. */
  List<Group> groups() {
    return groups(points);
  }

  /** Returns the mean rate at each concurrency of some points, in its order. */
  static List<Group> groups(Iterable<Point> points) {
    Map<Integer, double[]> sums = new TreeMap<>();
    for (Point point : points) {
      int concurrency = (int) Math.round(point.concurrency);
      if (concurrency >= 1) {
        double[] sum = sums.computeIfAbsent(concurrency, any -> new double[2]);
        sum[0] += point.rate;
        sum[1]++;
      }
    }
    List<Group> groups = new ArrayList<>();
    sums.forEach(
        (concurrency, sum) -> groups.add(new Group(concurrency, sum[0] / sum[1], (int) sum[1])));
    return groups;
  }
}
