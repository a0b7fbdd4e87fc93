package io.poolkeeper.testbed.load.traffic;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.random.Arrivals;
import io.poolkeeper.testbed.clients.random.PhaseChoices;
import io.poolkeeper.testbed.clients.random.RequestChoice;
import io.poolkeeper.testbed.clients.random.RequestHistory;
import io.poolkeeper.testbed.clients.random.Samplers;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.rng.UniformRandomProvider;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one load thread who arrive by a rate, whatever becomes of those before them: of an
 * open load with one request each, of a half-open load with a session. All load threads draw the
 * same arrivals and take every so many-th, so that what arrives depends on the seed alone.
 *
 * <p>A request has an intended start: its arrival, or in a session the end of the think time. It is
 * never sent before, and its response time counts from there, however late it is sent: what waits
 * for a connection, or for a generator that is too slow, is slower by that, and not left out
 * (coordinated omission [1]).
 *
 * <p>A client has a connection from its first request to its last; then another gets it. There are
 * up to a bound of them. While none is free arrivals wait in their order, which takes no memory:
 * the process of arrivals just stands still until there is one. What has then waited for longer
 * than the timeout, or waits still when the last phase ends, is never sent.
 *
 * <p>[1] G. Tene, How NOT to Measure Latency, 2013: a load generator that waits for an answer
 * before it sends leaves out just those requests that would have been slow.
 */
public final class ArrivingClients implements Traffic {

  private static final long NEVER = Long.MAX_VALUE;
  private static final double SECOND = 1e9;

  /** Requests that are sent in one call at most, so that answers are read meanwhile. */
  private static final int BATCH = 256;

  private final Clients.Arriving described;
  private final Request[] requests;
  private PhaseChoices phaseChoices;
  private final Share share;
  private final int connections;
  private final long timeout;
  private final Senders senders;
  private final SendLog log;
  private final AtomicInteger underWay;

  private final Deque<Client> free = new ArrayDeque<>();
  private final PriorityQueue<Client> thinking =
      new PriorityQueue<>(Comparator.comparingLong((Client client) -> client.due));
  private Arrivals arrivals;
  private SplittableRandom choices;
  private long start;
  private long end = NEVER;
  private boolean over;

  /** Intended start of the next arrival of this thread. */
  private long due = NEVER;

  /** Start of the random choices of the client who arrives then. */
  private long seed;

  /** Thread of the last arrival that was looked at. */
  private int turn = -1;

  /** Others that arrive at the same instant. */
  private int batch;

  /** Connections of this thread so far. */
  private int opened;

  /** When there was a free connection again after there had been none. */
  private long freeSince = Long.MIN_VALUE;

  private int sending;

  /**
   * The clients of one thread.
   *
   * @param share which of the arrivals, and of the connections, are its own
   * @param underWay counts the requests under way of all threads
   */
  public ArrivingClients(
      LoadDescription load,
      Clients.Arriving described,
      Share share,
      Senders senders,
      SendLog log,
      AtomicInteger underWay) {
    this.described = described;
    this.share = share;
    this.senders = senders;
    this.log = log;
    this.underWay = underWay;
    requests = load.requests().toArray(Request[]::new);
    phaseChoices = new PhaseChoices(load.clients(), load.names(), described.staying());
    arrivals = load.arrivals(described);
    choices = load.choices();
    // Each thread needs one, however few there are to be.
    connections = Math.max(1, share.of(load.connections()));
    timeout = load.timeout().toNanos();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Arrivals of a warm-up that still wait for a connection are dropped.
   */
  @Override
  public void begin(LoadDescription load, long start) {
    arrivals = load.arrivals(described.during(load.clients().phases()));
    choices = load.choices();
    phaseChoices = new PhaseChoices(load.clients(), load.names(), described.staying());
    turn = -1;
    batch = 0;
    this.start = start;
    end = start + load.timeline().total();
    thinking.removeIf(Client::leavesIfTooLate);
    plan();
  }

  /** Goes on to the next arrival that belongs to this thread. */
  private void plan() {
    do {
      if (batch == 0) {
        if (!arrivals.next()) {
          due = NEVER;
          return;
        }
        batch = arrivals.size();
        due = start + Math.round(arrivals.at() * SECOND);
      }
      batch--;
      turn = (turn + 1) % share.threads();
      seed = choices.nextLong();
    } while (turn != share.thread());
  }

  @Override
  public void advance(long now) {
    for (int i = 0; i < BATCH; i++) {
      Client thinker = thinking.peek();
      boolean arrives = due <= now && hasConnection();
      if (thinker != null && thinker.due <= now && !(arrives && due < thinker.due)) {
        thinking.remove();
        log.sent(now - thinker.due, false, false);
        thinker.send(now);
      } else if (arrives) {
        arrive(now);
      } else {
        if (end <= now) {
          over = true;
          due = NEVER;
        }
        return;
      }
    }
  }

  private void arrive(long now) {
    if (now - due < timeout) {
      log.sent(now - Math.max(due, freeSince), due < freeSince, true);
      Client client = free.isEmpty() ? new Client(opened++) : free.removeLast();
      client.begin(seed, due, now);
    }
    plan();
  }

  private boolean hasConnection() {
    return !free.isEmpty() || opened < connections;
  }

  @Override
  public long nextChange() {
    return over ? NEVER : end;
  }

  @Override
  public long nextSend() {
    Client thinker = thinking.peek();
    long next = thinker == null ? NEVER : thinker.due;
    return hasConnection() ? Math.min(next, due) : next;
  }

  @Override
  public int sending() {
    return sending;
  }

  /** Requests under way; whoever thinks is not told apart from who has left. */
  @Override
  public int clients(long time) {
    return underWay.get();
  }

  @Override
  public boolean finished() {
    return over && sending == 0;
  }

  /** A connection and the client who has it, if any does. */
  private final class Client implements Sender.Listener {
    private final Sender sender;
    private UniformRandomProvider random = () -> 0;
    private int request;
    private long due;
    private final @Nullable RequestHistory history = phaseChoices.newHistory();

    Client(int index) {
      sender = senders.open(index * share.threads() + share.thread(), this);
    }

    void begin(long seed, long due, long now) {
      random = new SplittableRandom(seed)::nextLong;
      request = phaseChoices.at(due - start).first(random);
      if (history != null) {
        history.clear(); // the client before may have been cut off
      }
      this.due = due;
      send(now);
    }

    void send(long now) {
      sending++;
      underWay.incrementAndGet();
      sender.send(requests[request].draw(random), due, now);
    }

    @Override
    public void ended(boolean answered, long now) {
      sending--;
      underWay.decrementAndGet();
      request = phaseChoices.at(now - start).next(request, history, random);
      if (request != RequestChoice.END) {
        due = now + Math.round(Samplers.of(described.thinkTime(), random).sample() * SECOND);
        if (due < end) {
          // Not at once, even without a think time: this may have been called by a send.
          thinking.add(this);
          return;
        }
      }
      leave(now);
    }

    /** Whether it would think until after the end, and so has left. */
    boolean leavesIfTooLate() {
      if (due < end) {
        return false;
      }
      leave(start);
      return true;
    }

    private void leave(long now) {
      if (!hasConnection()) {
        freeSince = now;
      }
      free.addLast(this);
    }
  }
}
