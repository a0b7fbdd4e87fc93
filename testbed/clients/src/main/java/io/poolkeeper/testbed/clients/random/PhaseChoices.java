package io.poolkeeper.testbed.clients.random;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Timeline;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Choices of requests by phase, for clients whose phases may have requests of their own. */
public final class PhaseChoices {

  private final Timeline timeline;
  private final RequestChoice[] choices;
  private final boolean same;

  /**
   * The choices of {@code clients}.
   *
   * @param names all requests; their places are their numbers
   * @param staying probability that a session goes on; not used with a chain
   */
  public PhaseChoices(Clients clients, List<String> names, double staying) {
    timeline = new Timeline(clients);
    choices =
        clients.phases().stream()
            .map(phase -> new RequestChoice(clients.requests(phase), names, staying))
            .toArray(RequestChoice[]::new);
    same = clients.phases().stream().allMatch(phase -> phase.requests() == null);
  }

  /**
   * Returns the choice that holds at a time.
   *
   * @param time nanoseconds since the load began
   */
  public RequestChoice at(long time) {
    return choices[same ? 0 : timeline.phase(time)];
  }

  /** Returns a history for a client; null where nobody goes back. */
  public @Nullable RequestHistory newHistory() {
    return choices[0].goesBack() ? new RequestHistory() : null;
  }

  /** Returns whether what follows depends on the request before. */
  public boolean isChain() {
    return choices[0].isChain();
  }
}
