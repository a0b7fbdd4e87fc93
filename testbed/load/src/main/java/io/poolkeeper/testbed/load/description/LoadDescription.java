package io.poolkeeper.testbed.load.description;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Timeline;
import io.poolkeeper.testbed.clients.random.Arrivals;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A load for a server, as read by {@link DescriptionReader}.
 *
 * @param kind closed, open or half-open
 * @param clients who sends, and when; the last phase has an end
 * @param requests what is sent, in the order of their names in {@code clients}
 * @param connections how many are open at once at most, for clients who arrive; closed users have
 *     one each
 * @param timeout how long an answer is waited for, from when the request should have been sent
 * @param seed start of the random choices
 */
public record LoadDescription(
    String kind,
    Clients clients,
    List<Request> requests,
    int connections,
    Duration timeout,
    long seed) {

  private static final double ENDLESS_SECONDS = Duration.ofDays(365).toSeconds();

  /**
   * The same with the first level alone that is not 0, and the requests of its phase, for longer
   * than anybody waits: what warms a server up for this load. A ramp has two levels, that of its
   * beginning first.
   */
  public LoadDescription warmUp() {
    Phase first =
        clients.phases().stream().filter(phase -> phase.most() > 0).findFirst().orElseThrow();
    double level = first.from() > 0 ? first.from() : first.to();
    List<Phase> endless = List.of(new Phase(ENDLESS_SECONDS, level, level, first.requests()));
    return new LoadDescription(kind, clients.during(endless), requests, connections, timeout, seed);
  }

  /** The names of the requests by their numbers. */
  public List<String> names() {
    return requests.stream().map(Request::name).toList();
  }

  /** When phases begin. */
  public Timeline timeline() {
    return new Timeline(clients);
  }

  /** Returns the most connections that may be open at once. */
  public int maximumConnections() {
    return clients instanceof Clients.Arriving
        ? connections
        : (int) clients.phases().stream().mapToDouble(Phase::most).max().orElse(0);
  }

  /**
   * When {@code arriving}, the clients of this load, arrive: the same times at every call, for each
   * load thread takes its own out of all of them.
   */
  public Arrivals arrivals(Clients.Arriving arriving) {
    return new Arrivals(arriving, new SplittableRandom(seed)::nextLong);
  }

  /** Returns the random numbers of the requests, one for each client that arrives. */
  public SplittableRandom choices() {
    return new SplittableRandom(seed).split();
  }
}
