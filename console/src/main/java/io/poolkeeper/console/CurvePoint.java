package io.poolkeeper.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Expected value of the objective at a size, and its standard deviation.
 *
 * @param size workers or permits
 */
record CurvePoint(int size, double mean, double sd) {

  private static final Pattern MEAN = Pattern.compile("curve\\.(\\d{1,9})\\.mean");

  /** Returns the curve among the numbers of a decision, by size; empty if there is none. */
  static List<CurvePoint> of(Map<String, Double> numbers) {
    SortedMap<Integer, Double> means = new TreeMap<>();
    numbers.forEach(
        (name, value) -> {
          Matcher matcher = MEAN.matcher(name);
          if (matcher.matches() && Double.isFinite(value)) {
            means.put(Integer.valueOf(matcher.group(1)), value);
          }
        });
    List<CurvePoint> points = new ArrayList<>(means.size());
    means.forEach(
        (size, mean) -> {
          double sd = numbers.getOrDefault("curve." + size + ".sd", 0.0);
          points.add(new CurvePoint(size, mean, Double.isFinite(sd) ? sd : mean));
        });
    return points;
  }
}
