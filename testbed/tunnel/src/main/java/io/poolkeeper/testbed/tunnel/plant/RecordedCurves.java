package io.poolkeeper.testbed.tunnel.plant;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Throughput of disks by the number of threads, from runtimes that Timm (2021) recorded for a fixed
 * set of jobs.
 *
 * <p>A single recorded run has outliers of ten and more percent, and a pool that followed them
 * would learn noise. So the curve is smoothed: the logarithm of jobs per second is averaged over
 * the runs of a workload, replaced by the median of itself and its two neighbours where it has
 * both, then fitted by the unimodal curve with the least sum of squares (rising to a peak and
 * falling after it; both branches by pooling adjacent violators, Barlow et al. 1972, the peak where
 * the sum is least). Between recorded sizes it is linear in the logarithm of the size, beyond the
 * largest one it stays as it is.
 */
public final class RecordedCurves {

  private static final String FILE = "io_pool_runtime_curves.csv";

  private static final SortedMap<String, SortedMap<Integer, List<Double>>> RUNS = read();

  private RecordedCurves() {}

  /**
   * The smoothed curve of a workload, in sets of jobs per second.
   *
   * @throws IllegalArgumentException if the file has no such workload
   */
  public static Curve smoothed(String workload) {
    SortedMap<Integer, List<Double>> runs = workload(workload);
    return interpolated(sizes(runs), unimodal(medians(logs(runs))));
  }

  /**
   * The curve of a workload as it was recorded, averaged over its runs and not smoothed.
   *
   * @throws IllegalArgumentException if the file has no such workload
   */
  public static Curve averaged(String workload) {
    SortedMap<Integer, List<Double>> runs = workload(workload);
    return interpolated(sizes(runs), logs(runs));
  }

  /** All workloads, in the order of their names. */
  public static List<String> workloads() {
    return List.copyOf(RUNS.keySet());
  }

  private static Curve interpolated(double[] sizes, double[] logs) {
    return new Curve(k -> Math.exp(interpolated(sizes, logs, Math.log(k))));
  }

  private static double[] sizes(SortedMap<Integer, List<Double>> runs) {
    return runs.keySet().stream().mapToDouble(n -> Math.log(n)).toArray();
  }

  private static double[] logs(SortedMap<Integer, List<Double>> runs) {
    return runs.values().stream()
        .mapToDouble(seconds -> -seconds.stream().mapToDouble(Math::log).average().orElseThrow())
        .toArray();
  }

  private static SortedMap<Integer, List<Double>> workload(String name) {
    SortedMap<Integer, List<Double>> runs = RUNS.get(name);
    if (runs == null) {
      throw new IllegalArgumentException(FILE + " has no workload " + name);
    }
    return runs;
  }

  /** Runtimes by workload and number of threads. */
  private static SortedMap<String, SortedMap<Integer, List<Double>>> read() {
    SortedMap<String, SortedMap<Integer, List<Double>>> runs = new TreeMap<>();
    CsvResource.rows(RecordedCurves.class, FILE)
        .forEach(
            cells ->
                runs.computeIfAbsent(cells[2], name -> new TreeMap<>())
                    .computeIfAbsent(Integer.valueOf(cells[3]), n -> new ArrayList<>())
                    .add(Double.valueOf(cells[4])));
    return runs;
  }

  private static double[] medians(double[] values) {
    double[] medians = values.clone();
    for (int i = 1; i + 1 < values.length; i++) {
      double[] three = {values[i - 1], values[i], values[i + 1]};
      Arrays.sort(three);
      medians[i] = three[1];
    }
    return medians;
  }

  /** The unimodal sequence nearest to {@code values} in the sum of squares. */
  static double[] unimodal(double[] values) {
    double[] nearest = values;
    double least = Double.POSITIVE_INFINITY;
    for (int peak = 0; peak < values.length; peak++) {
      double[] candidate = new double[values.length];
      rising(values, 0, peak, 1, candidate);
      rising(values, values.length - 1, peak + 1, -1, candidate);
      double sum = 0;
      for (int i = 0; i < values.length; i++) {
        sum += (values[i] - candidate[i]) * (values[i] - candidate[i]);
      }
      boolean onePeak = peak + 1 == values.length || candidate[peak] >= candidate[peak + 1];
      if (onePeak && sum < least) {
        least = sum;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /**
   * Isotonic regression of {@code values} from {@code first} to {@code last}, in either direction.
   */
  private static void rising(double[] values, int first, int last, int step, double[] into) {
    int length = Math.max(0, (last - first) * step + 1);
    double[] means = new double[length];
    int[] counts = new int[length];
    int blocks = 0;
    for (int i = 0; i < length; i++) {
      means[blocks] = values[first + i * step];
      counts[blocks] = 1;
      blocks++;
      while (blocks > 1 && means[blocks - 2] > means[blocks - 1]) {
        int count = counts[blocks - 2] + counts[blocks - 1];
        means[blocks - 2] =
            (means[blocks - 2] * counts[blocks - 2] + means[blocks - 1] * counts[blocks - 1])
                / count;
        counts[blocks - 2] = count;
        blocks--;
      }
    }
    int at = first;
    for (int block = 0; block < blocks; block++) {
      for (int i = 0; i < counts[block]; i++) {
        into[at] = means[block];
        at += step;
      }
    }
  }

  private static double interpolated(double[] at, double[] values, double x) {
    int right = 0;
    while (right < at.length && at[right] < x) {
      right++;
    }
    if (right == 0) {
      return values[0];
    }
    if (right == at.length) {
      return values[at.length - 1];
    }
    double share = (x - at[right - 1]) / (at[right] - at[right - 1]);
    return values[right - 1] + share * (values[right] - values[right - 1]);
  }
}
