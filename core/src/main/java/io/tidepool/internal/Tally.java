package io.tidepool.internal;

/**
 * Counts of a limit since it began. Each change of a count of one stripe adds one arrival or none,
 * and what moves on leaves one count and enters another in the same visit: the sum of all stripes,
 * whenever each is read, holds every arrival once. Not thread-safe.
 */
final class Tally {

  final Presence held = new Presence();
  final Presence waiting = new Presence();
  long completions;
  long failures;
  long withinBound;
  long rejections;

  /** Came and went without an outcome: cancelled, ignored, reclaimed. */
  long withdrawals;

  void ended(long responseTime, boolean failed, long bound) {
    if (failed) {
      failures++;
    } else {
      completions++;
      if (responseTime <= bound) {
        withinBound++;
      }
    }
  }

  void withdrawn(boolean rejected) {
    if (rejected) {
      rejections++;
    } else {
      withdrawals++;
    }
  }

  long arrivals() {
    return completions + failures + rejections + withdrawals + held.inside() + waiting.inside();
  }

  void add(Tally other) {
    held.add(other.held);
    waiting.add(other.waiting);
    completions += other.completions;
    failures += other.failures;
    withinBound += other.withinBound;
    rejections += other.rejections;
    withdrawals += other.withdrawals;
  }
}
