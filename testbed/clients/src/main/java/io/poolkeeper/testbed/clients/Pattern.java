package io.poolkeeper.testbed.clients;

/** Patterns of arrivals of a given rate in time. */
public sealed interface Pattern {

  /** Independent of each other: exponential gaps. */
  record Poisson() implements Pattern {}

  /**
   * Equal gaps, the first arrival at the start of each phase; along a ramp one arrival whenever the
   * sum of the rate comes to a whole number.
   */
  record Constant() implements Pattern {}

  /**
   * Several at the same instant: Poisson arrivals of batches whose sizes are geometric, 1 or more.
   *
   * @param meanSize 1 or more
   */
  record Batches(double meanSize) implements Pattern {
    public Batches {
      if (!(meanSize >= 1)) {
        throw new IllegalArgumentException("mean size of a batch must be >= 1, but is " + meanSize);
      }
    }
  }

  /**
   * Poisson with a rate that changes between two values (a Markov-modulated Poisson process with
   * two states). The rate between bursts is such that the mean rate is that of the phase. It begins
   * between bursts.
   *
   * @param peak rate in a burst as a multiple of the mean rate; above 1, at most {@code (burst +
   *     quiet) / burst}
   * @param burst mean length of a burst, seconds, exponential
   * @param quiet mean time between bursts, seconds, exponential
   */
  record Bursty(double peak, double burst, double quiet) implements Pattern {
    public Bursty {
      Require.positive("mean length of a burst", burst);
      Require.positive("mean time between bursts", quiet);
      double most = (burst + quiet) / burst;
      if (!(peak > 1 && peak <= most * (1 + 1e-12))) {
        throw new IllegalArgumentException(
            "peak of bursts must be above 1 and at most (burst + quiet) / burst = %s, but is %s"
                .formatted(most, peak));
      }
    }

    /** Rate between bursts as a multiple of the mean rate. */
    public double low() {
      return Math.max(0, (burst + quiet - peak * burst) / quiet);
    }
  }
}
