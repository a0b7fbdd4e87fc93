package io.poolkeeper.testbed.simulator.engine;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.simulator.engine.event.Calendar;
import io.poolkeeper.testbed.simulator.engine.event.Tasks;

/** Number of users and tasks that the memory of this process holds. */
public final class Capacity {

  /** An entry on the calendar, and the user's own state. */
  private static final int BYTES_PER_USER = 2 * Long.BYTES + Long.BYTES + Integer.BYTES;

  /** Arrays grow by copying: for a moment there are two of them, one twice as large. */
  private static final int COPIES = 3;

  /** Bytes that a user, with its request, needs at most. */
  public static final int BYTES_EACH = COPIES * (BYTES_PER_USER + Tasks.BYTES);

  /** Part of the heap that a run may use; the rest is for histograms and for others. */
  public static final double PART = 0.8;

  private Capacity() {}

  /** Most tasks in the system at a time. */
  static int tasks() {
    double most = PART * Runtime.getRuntime().maxMemory() / (COPIES * Tasks.BYTES);
    return (int) Math.min(most, 1 << Calendar.NUMBER_BITS);
  }

  static void requireUsers(Clients.Closed clients, int numbers) {
    double most = clients.phases().stream().mapToDouble(Phase::most).max().orElse(0);
    long heap = Runtime.getRuntime().maxMemory();
    // A user is on the calendar or has a task.
    long fit = (long) (PART * heap / BYTES_EACH);
    long bound = Math.min(fit, numbers);
    if (most > bound) {
      throw new IllegalArgumentException(
          "users of '%s' must be <= %d, which is what a heap of %d MB holds, but is %.0f"
              .formatted(clients.name(), bound, heap >> 20, most));
    }
  }
}
