package io.tidepool.testbed.load.description;

import io.tidepool.testbed.clients.Clients;
import io.tidepool.testbed.clients.Phase;
import java.util.Arrays;
import java.util.List;

/**
 * When phases begin and how many closed users they have. Times are nanoseconds since the load
 * began; a phase holds from its first nanosecond to the last one before the next phase.
 */
public final class Timeline {

  private static final double SECOND = 1e9;

  private final int[] users;
  private final long[] ends;

  /** The phases of {@code clients}; those who arrive by a rate are no closed users. */
  public Timeline(Clients clients) {
    List<Phase> phases = clients.phases();
    boolean closed = clients instanceof Clients.Closed;
    users = phases.stream().mapToInt(phase -> closed ? (int) phase.level() : 0).toArray();
    ends = new long[users.length];
    double end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += phases.get(i).seconds();
      ends[i] = Math.round(end * SECOND);
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

  /** Closed users that are active at {@code time}; none after the end. */
  public int users(long time) {
    return time < total() ? users[phase(time)] : 0;
  }

  /** The end of the phase at {@code time}, or {@link Long#MAX_VALUE} after the last one. */
  public long nextChange(long time) {
    return time < total() ? ends[phase(time)] : Long.MAX_VALUE;
  }
}
