package io.poolkeeper.testbed.load.traffic;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Timeline;
import io.poolkeeper.testbed.clients.random.PhaseChoices;
import io.poolkeeper.testbed.clients.random.RequestChoice;
import io.poolkeeper.testbed.clients.random.RequestHistory;
import io.poolkeeper.testbed.clients.random.Samplers;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.jspecify.annotations.Nullable;

/**
 * The closed users of one load thread: each sends, waits for the answer, thinks, sends again. Users
 * are numbered, and {@code n} active ones are the first {@code n}: a user who appears again is the
 * same one, and goes on with its own random choices, which depend on the seed and its number alone.
 *
 * <p>When a phase begins, users appear or leave at once, along a ramp one by one ({@link
 * Timeline}); one that leaves finishes the request that it has sent. A request without an HTTP
 * answer makes its user pause before the next: as long as the description says, and twice as long
 * each time up to {@link #LONGEST_PAUSE}. A dead server is found again soon, but not stormed.
 *
 * <p>Knows no clock and no sockets; times are nanoseconds of {@link System#nanoTime}, or of a
 * virtual clock. Not safe for several threads.
 */
public final class ClosedUsers implements Traffic {

  private static final double SECOND = 1e9;

  /** Nanoseconds. */
  static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /**
   * Nanoseconds by which a user may send too early. Selectors wait whole milliseconds; half of one
   * to both sides makes think times right on average, rather than half a millisecond too long.
   */
  public static final long TOLERANCE = TimeUnit.MICROSECONDS.toNanos(500);

  /**
   * Users that send in one call at most, so that answers are read while thousands appear. Less than
   * the answers that are read at a time, and users who have begun would keep the others from it.
   */
  private static final int BATCH = 256;

  private final Share share;
  private final Request[] requests;
  private final long firstPause;
  private final User[] users;
  private final PriorityQueue<User> waiting =
      new PriorityQueue<>(Comparator.comparingLong((User user) -> user.due));
  private Timeline timeline;
  private PhaseChoices choices;
  private long start;
  private long nextChange = Long.MAX_VALUE;

  /** Number of users that should be active: the first of {@link #users}. */
  private int active;

  private int sending;

  /**
   * @param share which of the users these are
   */
  public ClosedUsers(LoadDescription load, Clients.Closed described, Share share, Senders senders) {
    this.share = share;
    timeline = load.timeline();
    requests = load.requests().toArray(Request[]::new);
    choices = choices(load);
    firstPause = Math.round(described.retry() * SECOND);
    users = new User[share.of(load.maximumConnections())];
    for (int index = 0; index < users.length; index++) {
      users[index] = new User(index, described, senders);
    }
  }

  private static PhaseChoices choices(LoadDescription load) {
    return new PhaseChoices(load.clients(), load.names(), 1);
  }

  @Override
  public void begin(LoadDescription load, long start) {
    timeline = load.timeline();
    choices = choices(load);
    this.start = start;
    nextChange = start;
    SplittableRandom randoms = new SplittableRandom(load.seed());
    for (int number = 0; number < load.maximumConnections(); number++) {
      SplittableRandom random = randoms.split();
      if (share.has(number)) {
        users[number / share.threads()].draw(random::nextLong);
      }
    }
  }

  @Override
  public void advance(long now) {
    if (nextChange <= now) {
      change(now);
    }
    for (int i = 0; i < BATCH; i++) {
      User next = waiting.peek();
      if (next == null || next.due - TOLERANCE > now) {
        return;
      }
      waiting.remove();
      next.send(now);
    }
  }

  private void change(long now) {
    int before = active;
    active = share.of(timeline.users(now - start));
    long change = timeline.nextChange(now - start);
    nextChange = change == Long.MAX_VALUE ? change : start + change;
    if (active < before) {
      waiting.removeIf(User::leavesIfInactive);
    }
    for (int i = before; i < active; i++) {
      users[i].appear(now);
    }
  }

  @Override
  public long nextChange() {
    return nextChange;
  }

  /**
   * When the next user sends, which {@link #advance} does up to {@link #TOLERANCE} earlier, or
   * {@link Long#MAX_VALUE} if all wait for answers.
   */
  @Override
  public long nextSend() {
    User next = waiting.peek();
    return next == null ? Long.MAX_VALUE : next.due;
  }

  @Override
  public int sending() {
    return sending;
  }

  @Override
  public int clients(long time) {
    return timeline.users(time - start);
  }

  @Override
  public boolean finished() {
    return nextChange == Long.MAX_VALUE && sending == 0;
  }

  /** One user. It is sending, or waiting, or inactive. */
  private final class User implements Sender.Listener {
    private final int index;
    private final Clients.Closed described;
    private final Sender sender;
    private UniformRandomProvider random = () -> 0;
    private ContinuousSampler thinkTime = () -> 0;
    private boolean busy;
    private long due;
    private long pause;

    /** The last request, on which the next one may depend. */
    private int last = RequestChoice.END;

    private final @Nullable RequestHistory history = choices.newHistory();

    User(int index, Clients.Closed described, Senders senders) {
      this.index = index;
      this.described = described;
      sender = senders.open(share.number(index), this);
    }

    /** Makes its choices by other numbers from now on. */
    void draw(UniformRandomProvider random) {
      this.random = random;
      thinkTime = Samplers.of(described.thinkTime(), random);
    }

    void appear(long now) {
      // One that is still busy with its last request before it left goes on by itself.
      if (!busy) {
        await(now);
      }
    }

    boolean leavesIfInactive() {
      if (index < active) {
        return false;
      }
      sender.close();
      return true;
    }

    void send(long now) {
      busy = true;
      sending++;
      sender.send(requests[next(choices.at(now - start))].draw(random), now, now);
    }

    private int next(RequestChoice choice) {
      if (!choice.isChain()) {
        return choice.first(random);
      }
      last = last == RequestChoice.END ? choice.first(random) : choice.next(last, history, random);
      if (last == RequestChoice.END) {
        last = choice.first(random);
      }
      return last;
    }

    @Override
    public void ended(boolean answered, long now) {
      if (nextChange <= now) {
        change(now);
      }
      busy = false;
      sending--;
      if (leavesIfInactive()) {
        return;
      }
      pause = answered ? 0 : Math.max(firstPause, Math.min(2 * pause, LONGEST_PAUSE));
      long wait = Math.max(Math.round(thinkTime.sample() * SECOND), pause);
      if (wait == 0) {
        send(now);
      } else {
        await(now + wait);
      }
    }

    private void await(long time) {
      due = time;
      waiting.add(this);
    }
  }
}
