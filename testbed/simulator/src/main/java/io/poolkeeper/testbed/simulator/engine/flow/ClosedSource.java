package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Timeline;
import io.poolkeeper.testbed.clients.random.RequestChoice;
import io.poolkeeper.testbed.clients.random.RequestHistory;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Closed users by number; of {@code n} active ones these are the first {@code n}. A user costs 8
 * bytes, 4 more with a chain of requests, a history where the chain goes back, and an entry on the
 * calendar or a task.
 */
public final class ClosedSource extends Source {

  /** The user is away. */
  private static final long AWAY = -1;

  /** The user waits for an answer. */
  private static final long BUSY = -2;

  private final Timeline timeline;
  private final long retry;

  /** When each user sends, if it is thinking. */
  private final long[] due;

  /** Last request of each user, where the next depends on it. */
  private final int[] last;

  /** Histories of the users who have sent something, where they go back; else empty. */
  private final @Nullable RequestHistory[] histories;

  private int active;

  public ClosedSource(Clients.Closed clients, Wiring wiring) {
    super(wiring);
    timeline = new Timeline(clients);
    this.retry = Time.nanos(clients.retry());
    int most = (int) clients.phases().stream().mapToDouble(Phase::most).max().orElseThrow();
    due = new long[most];
    Arrays.fill(due, AWAY);
    last = new int[choices.isChain() ? most : 0];
    Arrays.fill(last, RequestChoice.END);
    histories = new RequestHistory[choices.newHistory() == null ? 0 : most];
  }

  /** Lets users appear or leave where their number changes. */
  @Override
  public long act(long now) {
    int users = timeline.users(now);
    for (int user = users; user < active; user++) {
      if (due[user] != BUSY) {
        due[user] = AWAY;
      }
    }
    int before = active;
    active = users;
    for (int user = before; user < users; user++) {
      // One that is still busy with its last request before it left goes on by itself.
      if (due[user] != BUSY) {
        due[user] = now;
        wakeAt(user, now);
      }
    }
    return Math.min(timeline.nextChange(now), Time.NEVER);
  }

  @Override
  public void wake(int user, long now) {
    // One that left while it was thinking has another time now, if it has come again, or none.
    if (due[user] == now) {
      due[user] = BUSY;
      send(user, next(user, now), now);
    }
  }

  private int next(int user, long now) {
    RequestChoice choice = choices.at(now);
    if (!choice.isChain()) {
      return choice.first(random);
    }
    int request =
        last[user] == RequestChoice.END
            ? choice.first(random)
            : choice.next(last[user], history(user), random);
    if (request == RequestChoice.END) {
      request = choice.first(random);
    }
    last[user] = request;
    return request;
  }

  private @Nullable RequestHistory history(int user) {
    if (histories.length == 0) {
      return null;
    }
    RequestHistory found = histories[user];
    if (found == null) {
      found = new RequestHistory();
      histories[user] = found;
    }
    return found;
  }

  @Override
  void proceed(int user, int request, boolean failed, long now) {
    if (user >= active) {
      due[user] = AWAY;
      return;
    }
    long think = Time.nanos(thinkTime.sample());
    if (failed) {
      think = Math.max(think, retry);
    }
    if (think == 0) {
      send(user, next(user, now), now);
    } else {
      due[user] = now + think;
      wakeAt(user, now + think);
    }
  }
}
