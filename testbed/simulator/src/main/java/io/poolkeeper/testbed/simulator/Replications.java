package io.poolkeeper.testbed.simulator;

import io.poolkeeper.testbed.simulator.statistics.Estimate;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * Runs that differ in the seed alone. Their results are independent, so that what is read from them
 * has a standard error without any assumption about how long a system remembers.
 *
 * @param results in the order of the seeds
 */
public record Replications(List<Result> results) {

  public Replications {
    results = List.copyOf(results);
  }

  /**
   * Runs, on as many threads as there are processors; the results do not depend on that.
   *
   * @param count how many, 1 or more; their seeds are 1 to {@code count}
   * @param run makes and runs the simulation of a seed
   */
  public static Replications of(int count, LongFunction<Result> run) {
    if (count < 1) {
      throw new IllegalArgumentException("replications must be >= 1, but is " + count);
    }
    return new Replications(LongStream.rangeClosed(1, count).parallel().mapToObj(run).toList());
  }

  /** The mean of a figure over all runs. */
  public Estimate mean(ToDoubleFunction<Result> figure) {
    return Estimate.of(results.stream().mapToDouble(figure).toArray());
  }
}
