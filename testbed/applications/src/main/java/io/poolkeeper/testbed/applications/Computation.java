package io.poolkeeper.testbed.applications;

/**
 * CPU work of a known amount, without memory: a chain of multiplications, each of which needs the
 * result of the one before. The amount is fixed, and not the time, so that all variants of an
 * experiment do the same work.
 */
final class Computation implements Application {

  /** Steps that take about a millisecond on a server core of 3 GHz. */
  static final int STEPS_PER_MILLISECOND = 700_000;

  private static final long MULTIPLIER = 6364136223846793005L;
  private static final long INCREMENT = 1442695040888963407L;

  private final int millis;

  /** Computes about so many milliseconds for each request. */
  Computation(int millis) {
    this.millis = millis;
  }

  @Override
  public String answer() {
    return Long.toString(run(millis, 1));
  }

  /**
   * Runs the steps of about {@code millis} milliseconds from a seed, and returns the last result.
   */
  static long run(double millis, long seed) {
    long value = seed;
    long steps = Math.round(millis * STEPS_PER_MILLISECOND);
    for (long i = 0; i < steps; i++) {
      value = value * MULTIPLIER + INCREMENT;
    }
    return value;
  }
}
