package io.poolkeeper.testbed.load.http;

import io.poolkeeper.testbed.load.description.Request;
import org.jspecify.annotations.Nullable;

/**
 * One request that has ended. Times are nanoseconds, those of its parts counted from its start.
 *
 * @param user who sent it, by number in the whole load; of clients who arrive, the connection
 * @param clients of the whole load who were there
 * @param start its intended start, of {@link System#nanoTime}
 * @param responseTime until the last byte of the answer was read, or the request failed
 * @param latency until the first byte was read; 0 if none was
 * @param connectTime until the connection was open; 0 if it was already
 * @param received bytes of the answer, header included
 * @param sent bytes of the request
 * @param status status code of the answer, or 0 without one
 * @param failure why there was no answer, or not the right one; null if there was
 */
public record Sample(
    int user,
    int clients,
    Request request,
    long start,
    long responseTime,
    long latency,
    long connectTime,
    long received,
    long sent,
    int status,
    @Nullable String failure) {

  /** When the last byte of the answer was read, or the request failed. */
  public long end() {
    return start + responseTime;
  }
}
