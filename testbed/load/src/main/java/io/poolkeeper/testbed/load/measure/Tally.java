package io.poolkeeper.testbed.load.measure;

import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.load.http.Exchange;
import io.poolkeeper.testbed.load.http.HttpStatus;
import io.poolkeeper.testbed.load.traffic.SendLog;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Counts of some span of time, by one load thread or by all. Response times are nanoseconds, and
 * only those of successful requests; so there is one for each request that is not an error.
 */
public final class Tally {

  /** A response time of the record is off by 0.1 % at most. */
  private static final int DIGITS = 3;

  private static final int DELAY_DIGITS = 2;

  private final Histogram[] responses;
  private final Histogram delays = new Histogram(DELAY_DIGITS);
  private final Map<String, long[]> errors = new TreeMap<>();
  private final Histogram lags = new Histogram(DELAY_DIGITS);
  private long unfinished;
  private long waited;
  private long arrivals;

  /**
   * @param requests kinds of requests
   * @param highest response time in nanoseconds up to which counting allocates nothing
   */
  Tally(int requests, long highest) {
    responses =
        Stream.generate(() -> new Histogram(1, highest, DIGITS))
            .limit(requests)
            .toArray(Histogram[]::new);
    for (Histogram histogram : responses) {
      // A load thread that was held up finds answers that are older than the timeout.
      histogram.setAutoResize(true);
    }
  }

  /** Counts a request that has ended. */
  public void count(Exchange exchange) {
    if (exchange.successful()) {
      responses[exchange.request().index()].recordValue(exchange.responseTime());
    } else {
      String failure = exchange.failure();
      countErrors(failure == null ? HttpStatus.kind(exchange.status()) : failure, 1);
    }
  }

  private void countErrors(String kind, long count) {
    errors.computeIfAbsent(kind, unused -> new long[1])[0] += count;
  }

  /** Counts how long something that was ready waited for its load thread. */
  public void delayed(long nanos) {
    delays.recordValue(nanos);
  }

  public void unfinished(int requests) {
    unfinished += requests;
  }

  public void add(Tally other) {
    for (int i = 0; i < responses.length; i++) {
      responses[i].add(other.responses[i]);
    }
    delays.add(other.delays);
    lags.add(other.lags);
    waited += other.waited;
    arrivals += other.arrivals;
    other.errors.forEach((kind, count) -> countErrors(kind, count[0]));
    unfinished += other.unfinished;
  }

  /** Requests that ended: answered, whatever the answer, or failed. */
  public long requests() {
    long successes = 0;
    for (Histogram histogram : responses) {
      successes += histogram.getTotalCount();
    }
    return successes + errors();
  }

  /** Requests that failed or were not answered with 2xx. */
  public long errors() {
    return errors.values().stream().mapToLong(count -> count[0]).sum();
  }

  /** The same by kind, in the order of the kinds' names. */
  public Map<String, Long> errorsByKind() {
    Map<String, Long> counts = new TreeMap<>();
    errors.forEach((kind, count) -> counts.put(kind, count[0]));
    return counts;
  }

  /** Requests that were under way when the load was stopped. They count nowhere else. */
  public long unfinished() {
    return unfinished;
  }

  /** The response times of one kind of request. */
  public Histogram responses(Request request) {
    return responses[request.index()];
  }

  /** The response times of all requests. */
  public Histogram responses() {
    if (responses.length == 1) {
      return responses[0];
    }
    Histogram all = new Histogram(DIGITS);
    for (Histogram histogram : responses) {
      all.add(histogram);
    }
    return all;
  }

  /** Returns how long ready requests waited for their load thread, in nanoseconds. */
  Histogram delays() {
    return delays;
  }

  /** Counts a request of clients who arrive; see {@link SendLog}. */
  void sent(long lag, boolean hasWaited, boolean arrival) {
    lags.recordValue(Math.max(0, lag));
    waited += hasWaited ? 1 : 0;
    arrivals += arrival ? 1 : 0;
  }

  /** By how much requests of clients who arrive were sent too late, nanoseconds: one of each. */
  public Histogram lags() {
    return lags;
  }

  /** Returns the number of requests that found no free connection when their time came. */
  long waited() {
    return waited;
  }

  /** Returns the number of requests that were the first of their client. */
  long arrivals() {
    return arrivals;
  }
}
