package io.tidepool.testbed.load.description;

import java.util.Arrays;
import java.util.List;

/**
 * When phases begin and how many users they have. Times are nanoseconds since the load began; a
 * phase holds from its first nanosecond to the last one before the next phase.
 */
public final class Timeline {

  private final int[] users;
  private final long[] ends;

  public Timeline(List<Phase> phases) {
    users = phases.stream().mapToInt(Phase::users).toArray();
    ends = new long[users.length];
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += phases.get(i).length().toNanos();
      ends[i] = end;
    }
  }

  /** When the last phase ends. */
  public long total() {
    return ends[ends.length - 1];
  }

  /** Index of the phase at {@code time}; after the end, that of the last one. */
  public int phase(long time) {
    int found = Arrays.binarySearch(ends, time);
    int phase = found >= 0 ? found + 1 : -found - 1;
    return Math.min(phase, ends.length - 1);
  }

  /** Users that are active at {@code time}; none after the end. */
  public int users(long time) {
    return time < total() ? users[phase(time)] : 0;
  }

  /** The end of the phase at {@code time}, or {@link Long#MAX_VALUE} after the last one. */
  public long nextChange(long time) {
    return time < total() ? ends[phase(time)] : Long.MAX_VALUE;
  }
}
