package io.poolkeeper.hikari;

import io.poolkeeper.spi.TaskMeter;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The uses of connections that have not ended. Hikari tells that a connection came back after some
 * milliseconds, and not which one it was: the use that began then is the one that ended. So single
 * times are exact to a millisecond, and their sum is exact.
 */
final class Leases {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private static final Comparator<Lease> BY_START =
      (a, b) -> {
        int byStart = Long.compare(a.start - b.start, 0); // A clock may overflow.
        return byStart == 0 ? Long.compare(a.number, b.number) : byStart;
      };

  private final NavigableSet<Lease> leases = new ConcurrentSkipListSet<>(BY_START);
  private final AtomicLong numbers = new AtomicLong();
  private final long began = System.nanoTime();

  /**
   * A use of a connection.
   *
   * @param number tells those apart that began at the same time
   */
  private record Lease(long start, long number, TaskMeter.@Nullable Run run) {}

  void add(TaskMeter.Run run) {
    leases.add(new Lease(run.start(), numbers.incrementAndGet(), run));
  }

  /** Ends the use that began as long ago; none if that was before the pool was measured. */
  void end(long millis) {
    long earliest = System.nanoTime() - (millis + 1) * MILLI;
    if (earliest + MILLI - began < 0) {
      return;
    }
    Lease about = new Lease(earliest, 0, null);
    while (true) {
      Lease lease = leases.ceiling(about);
      if (lease == null) {
        lease = leases.floor(about);
      }
      if (lease == null) {
        return;
      }
      if (leases.remove(lease) && lease.run != null) {
        lease.run.completed();
        return;
      }
    }
  }
}
