package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.tunnel.plant.CsvResource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rates of disk jobs over time that Timm (2021) recorded with pools of a fixed size: bursts with a
 * standard deviation of 0.44 to 0.67 of the mean, and a correlation of 0.83 to 0.91 from second to
 * second. A rate is the fall of the queue between two samples, about a second apart, as a multiple
 * of the mean.
 */
final class RateTraces {

  private static final String FILE = "io_rate_traces.csv";

  /** All, by name. */
  static final Map<String, List<Double>> ALL = read();

  private RateTraces() {}

  private static Map<String, List<Double>> read() {
    Map<String, List<double[]>> samples = new LinkedHashMap<>();
    CsvResource.rows(RateTraces.class, FILE)
        .forEach(
            cells ->
                samples
                    .computeIfAbsent(cells[0], name -> new ArrayList<>())
                    .add(
                        new double[] {Double.parseDouble(cells[1]), Double.parseDouble(cells[2])}));
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    samples.forEach((name, trace) -> rates.put(name, rates(trace)));
    return Collections.unmodifiableMap(rates);
  }

  private static List<Double> rates(List<double[]> samples) {
    List<Double> rates = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      double[] before = samples.get(i - 1);
      double[] after = samples.get(i);
      rates.add((before[1] - after[1]) / (after[0] - before[0]));
    }
    double mean = rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    return rates.stream().map(rate -> rate / mean).toList();
  }

  /**
   * A trace to be replayed second by second: forwards and backwards in turn, so that its ends do
   * not add jumps.
   *
   * @param from where in it to begin, 0 to below 1
   */
  static Noise.Replay replay(List<Double> trace, double from) {
    List<Double> there = new ArrayList<>(trace);
    List<Double> back = new ArrayList<>(trace);
    Collections.reverse(back);
    there.addAll(back);
    Collections.rotate(there, -(int) (from * there.size()));
    return new Noise.Replay(there, 1);
  }
}
