package io.poolkeeper.testbed.simulator.file;

import java.util.List;

/**
 * Plan of a simulation: how long and how often a model runs, and how sure the results are to be.
 *
 * @param seconds length of a run in virtual time, warm-up included
 * @param warmUp virtual seconds at the beginning that do not count
 * @param seed of the first replication; each has one of its own
 * @param method what the confidence intervals rest on
 * @param parts number of replications or batches
 * @param confidence level of the intervals, such as 0.95
 * @param bounds response times within which answers count as goodput, seconds; may be none
 */
public record RunPlan(
    double seconds,
    double warmUp,
    int seed,
    Method method,
    int parts,
    double confidence,
    List<Double> bounds) {

  public RunPlan {
    bounds = List.copyOf(bounds);
  }

  /** Basis of a confidence interval. */
  public enum Method {
    /** Independent runs from different seeds. */
    REPLICATIONS,
    /** Equal parts of one long run. */
    BATCHES
  }

  /** Virtual seconds that count, of one run. */
  public double counted() {
    return seconds - warmUp;
  }

  /** Returns the number of runs. */
  public int runs() {
    return method == Method.REPLICATIONS ? parts : 1;
  }
}
