package io.tidepool.testbed.load;

import java.time.Duration;
import java.util.List;

/**
 * What is to be sent at a server, as read by {@link DescriptionReader}.
 *
 * @param thinkTime how long users wait between an answer and the next request
 * @param phases how many users there are and when; at least one has a user
 * @param requests what is sent; at least one has a weight above 0
 * @param timeout how long a user waits for an answer, connecting included
 * @param seed start of the random choices of requests and think times
 */
record LoadDescription(
    ThinkTime thinkTime, List<Phase> phases, List<Request> requests, Duration timeout, long seed) {

  /** The largest number of users of any phase. */
  int maximumUsers() {
    return phases.stream().mapToInt(Phase::users).max().orElse(0);
  }
}
