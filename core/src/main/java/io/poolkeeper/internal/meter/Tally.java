package io.poolkeeper.internal.meter;

/**
 * Counts of a limit since it began. Each change of a count of one stripe adds one arrival or none,
 * and what moves on leaves one count and enters another in the same visit: the sum of all stripes,
 * whenever each is read, holds every arrival once. Not thread-safe.
 */
public final class Tally {

  public final Presence held = new Presence();
  public final Presence waiting = new Presence();
  public long completions;
  public long failures;

  /** Completions beyond the bound: fewer than those within it, which counts on every task's way. */
  public long late;

  public long rejections;

  /** Came and went without an outcome: cancelled, ignored, reclaimed. */
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
