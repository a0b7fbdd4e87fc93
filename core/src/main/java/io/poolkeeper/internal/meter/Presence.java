package io.poolkeeper.internal.meter;

/**
 * Number of tasks in a place and the total time they spend there, from their arrivals and
 * departures.
 *
 * <p>The total time is the sum of all departure times minus the sum of all arrival times, plus the
 * present time for each task that is still there. Arrival and departure may be recorded in
 * different instances, whose sums are added. Arithmetic may overflow, because only differences of
 * total times are used. Not thread-safe.
 */
public final class Presence {

  private long sum;
  private int inside;

  public void arrived(long at) {
    sum -= at;
    inside++;
  }

  public void departed(long at) {
    sum += at;
    inside--;
  }

  void add(Presence other) {
    sum += other.sum;
    inside += other.inside;
  }

  public int inside() {
    return inside;
  }

  public long spentUntil(long now) {
    return sum + inside * now;
  }
}
