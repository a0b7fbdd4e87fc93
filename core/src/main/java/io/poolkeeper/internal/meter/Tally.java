package io.poolkeeper.internal.meter;

/**
 * Counts of a limit since its beginning. A visit to a stripe either adds one arrival, or moves one
 * from a count to another. So the sum over all stripes holds every arrival once, whenever each
 * stripe is read. Not thread-safe.
 */
public final class Tally {

  public final Presence held = new Presence();
  public final Presence waiting = new Presence();
  public long completions;
  public long failures;

  /** Completions beyond the bound, which are rarer than those within it and so cheaper to count. */
  public long late;

  public long rejections;

  /** Ended without an outcome: cancelled, ignored, reclaimed. */
  public long withdrawals;

  public void ended(long responseTime, boolean failed, long bound) {
    if (failed) {
      failures++;
    } else {
      completions++;
      if (responseTime > bound) {
        late++;
      }
    }
  }

  public void withdrawn(boolean rejected) {
    if (rejected) {
      rejections++;
    } else {
      withdrawals++;
    }
  }

  public long arrivals() {
    return completions + failures + rejections + withdrawals + held.inside() + waiting.inside();
  }

  void add(Tally other) {
    held.add(other.held);
    waiting.add(other.waiting);
    completions += other.completions;
    failures += other.failures;
    late += other.late;
    rejections += other.rejections;
    withdrawals += other.withdrawals;
  }
}
