package io.tidepool.testbed.load.description;

import java.util.SplittableRandom;

/**
 * How long a user waits between an answer and the next request.
 *
 * @param meanNanos mean in nanoseconds, 0 or more
 * @param exponential whether it is exponentially distributed rather than constant
 */
public record ThinkTime(double meanNanos, boolean exponential) {

  /** The next think time in nanoseconds, 0 or more. */
  public long next(SplittableRandom random) {
    // By inversion: 1 - u is never 0, so the logarithm is finite.
    double nanos = exponential ? -meanNanos * Math.log(1 - random.nextDouble()) : meanNanos;
    return Math.round(nanos);
  }
}
