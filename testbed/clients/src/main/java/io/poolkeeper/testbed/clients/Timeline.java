package io.poolkeeper.testbed.clients;

import java.util.Arrays;
import java.util.List;

/**
 * When phases begin and how many closed users there are. Times are nanoseconds since the load
 * began; a phase holds from its first nanosecond to the last one before the next phase.
 *
 * <p>Along a ramp there are as many users as its line says, to the nearest whole number: they join
 * or leave one by one, evenly spaced, the first after half of such a space, and so are as many as
 * the line says on average, too.
 */
public final class Timeline {

  private static final double SECOND = 1e9;

  private final boolean closed;
  private final List<Phase> phases;
  private final long[] ends;

  /** The phases of {@code clients}; those who arrive by a rate are no closed users. */
  public Timeline(Clients clients) {
    closed = clients instanceof Clients.Closed;
    phases = clients.phases();
    ends = new long[phases.size()];
    double end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += phases.get(i).seconds();
      ends[i] = Math.round(end * SECOND);
    }
  }

  /** When the last phase ends; {@link Long#MAX_VALUE} if it does not. */
  public long total() {
    return ends[ends.length - 1];
  }

  /** Index of the phase at {@code time}; after the end, that of the last one. */
  public int phase(long time) {
    int found = Arrays.binarySearch(ends, time);
    int phase = found >= 0 ? found + 1 : -found - 1;
    // One that is shorter than a nanosecond ends when it begins.
    while (phase < ends.length && ends[phase] <= time) {
      phase++;
    }
    return Math.min(phase, ends.length - 1);
  }

  /** Closed users that are active at {@code time}; none after the end. */
  public int users(long time) {
    if (!closed || time >= total()) {
      return 0;
    }
    int phase = phase(time);
    int from = (int) phases.get(phase).from();
    return from + Integer.signum(difference(phase)) * changes(phase, time);
  }

  /**
   * When the number of users may change next after {@code time}: at the end of the phase, or along
   * a ramp. {@link Long#MAX_VALUE} after the last phase.
   */
  public long nextChange(long time) {
    if (time >= total()) {
      return Long.MAX_VALUE;
    }
    int phase = phase(time);
    int next = changes(phase, time) + 1;
    return next > Math.abs(difference(phase))
        ? ends[phase]
        : Math.min(ends[phase], change(phase, next));
  }

  /** By how many users a phase ends with more than it begins with. */
  private int difference(int phase) {
    return closed ? (int) (phases.get(phase).to() - phases.get(phase).from()) : 0;
  }

  /** Counts the users that have joined or left by {@code time} since the phase began. */
  private int changes(int phase, long time) {
    int all = Math.abs(difference(phase));
    if (all == 0) {
      return 0;
    }
    double part = (double) (time - start(phase)) / (ends[phase] - start(phase));
    int changes = (int) Math.min(all, Math.round(part * all));
    // The times that change() says decide, however this was rounded.
    while (changes < all && change(phase, changes + 1) <= time) {
      changes++;
    }
    while (changes > 0 && change(phase, changes) > time) {
      changes--;
    }
    return changes;
  }

  /** When the {@code number}-th user of a ramp joins or leaves, counted from 1. */
  private long change(int phase, int number) {
    double part = (number - 0.5) / Math.abs(difference(phase));
    return start(phase) + Math.round(part * (ends[phase] - start(phase)));
  }

  private long start(int phase) {
    return phase == 0 ? 0 : ends[phase - 1];
  }
}
