package io.tidepool.testbed.load.description;

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
public record LoadDescription(
    ThinkTime thinkTime, List<Phase> phases, List<Request> requests, Duration timeout, long seed) {

  /**
   * The same with the first phase that has users alone, for longer than anybody waits: what warms a
   * server up for this load.
   */
  public LoadDescription warmUp() {
    Phase first =
        phases.stream().filter(phase -> phase.users() > 0).findFirst().orElse(phases.get(0));
    Phase endless = new Phase(first.users(), Duration.ofDays(365));
    return new LoadDescription(thinkTime, List.of(endless), requests, timeout, seed);
  }

  /** The largest number of users of any phase. */
  public int maximumUsers() {
    return phases.stream().mapToInt(Phase::users).max().orElse(0);
  }
}
