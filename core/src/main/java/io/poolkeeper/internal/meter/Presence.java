package io.poolkeeper.internal.meter;

/**
 * Number of tasks in a place, and the time they spend there in all, from when each came and went.
 *
 * <p>With the sum of all times of going less the sum of all times of coming, the time spent until
 * now is that sum plus the present for each who is still there. Coming and going may be noted in
 * different instances, whose sums are added. Arithmetic wraps around, which does no harm: only
 * differences of the time spent are used. Not thread-safe.
 */
public final class Presence {

  private long sum;
  private int inside;

  public void came(long at) {
    sum -= at;
    inside++;
  }

  public void went(long at) {
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
