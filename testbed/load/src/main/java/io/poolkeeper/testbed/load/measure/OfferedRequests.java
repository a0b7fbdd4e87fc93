package io.poolkeeper.testbed.load.measure;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.random.Arrivals;
import io.poolkeeper.testbed.load.description.LoadDescription;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a load of clients who arrive should send, interval by interval. It draws the arrivals
 * once more, for load threads that cannot send them do not get to know of them.
 */
final class OfferedRequests {

  private static final double SECOND = 1e9;

  private final @Nullable Arrivals arrivals;
  private boolean more;

  OfferedRequests(LoadDescription load) {
    arrivals = load.clients() instanceof Clients.Arriving arriving ? load.arrivals(arriving) : null;
    more = arrivals != null && arrivals.next();
  }

  /**
   * Counts the requests offered since the last call.
   *
   * @param time end of the interval, nanoseconds since the load began
   * @param tally what was counted in the interval: of sessions, all requests but the first
   * @return a number of requests, or {@link Interval#CLOSED}
   */
  long until(long time, Tally tally) {
    if (arrivals == null) {
      return Interval.CLOSED;
    }
    long count = tally.lags().getTotalCount() - tally.arrivals();
    while (more && Math.round(arrivals.at() * SECOND) < time) {
      count += arrivals.size();
      more = arrivals.next();
    }
    return count;
  }
}
