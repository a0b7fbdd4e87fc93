package io.poolkeeper.testbed.applications;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The random numbers of an application: the first request gets the first of them, whichever thread
 * it runs on, so two servers of one seed do the same work in the same order.
 */
final class Draws {

  private final long first;
  private final AtomicLong requests = new AtomicLong();

  Draws(long seed) {
    // Neighbouring seeds begin far apart.
    first = new SplittableRandom(seed).nextLong();
  }

  /** The next number from {@code low} to {@code high}, both included, all equally likely. */
  int between(int low, int high) {
    return next().nextInt(low, high + 1);
  }

  /** The random numbers of the next request. */
  SplittableRandom next() {
    return new SplittableRandom(first + requests.getAndIncrement());
  }
}
