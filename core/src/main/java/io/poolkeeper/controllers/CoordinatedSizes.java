package io.poolkeeper.controllers;

import io.poolkeeper.Bounds;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sizes of a thread pool and of the connection pool that its requests use: windows of both in,
 * decisions for both out. A plain class without threads and clock; for one thread at a time.
 *
 * <p>A thread is held while it waits for a connection and uses it. So each pool hides the other
 * one: with too few connections more threads gain nothing, with too few threads more connections
 * gain nothing, and what one response curve learns is wrong once the other pool changes. Here one
 * pool at a time leads and the other follows.
 *
 * <p><b>Lead.</b> The pool in front of the limit: connections where the limit is behind them, in
 * the database; threads where it is in front of them, in the application. Connections lead until
 * requests wait for threads and threads do not wait for connections. Threads lead until threads
 * wait for connections. The leader is sized by its {@link ResponseCurveController}. For connections
 * its reward is that of the requests: uses, of which as large a part counts as good as of requests,
 * and the response times of requests.
 *
 * <p><b>Follow.</b> The follower has what the leader needs by Little's law ({@link Residences}),
 * and three standard deviations of a Poisson number more, so that it does not bind. A ratio holds
 * near the load at which it was measured: it is extrapolated to twice that load at most. A follower
 * grows to twice its size in a window at most and shrinks by a tenth, so it neither jumps nor
 * copies the experiments of the leader.
 *
 * <p><b>Connections that sufficed.</b> When threads take the lead, the connections do not bind.
 * They follow downwards, and never above that size. Where the database is near its limit those in
 * use grow by chance, each slows down the others, and connections that followed them would let the
 * database fall behind for good. Where they bind again, they lead, and their curve decides.
 *
 * <p><b>Neighbours.</b> Other servers may use the same database. Connections that lead do not grow
 * while uses take much longer than they did ({@link ResidenceBound}).
 *
 * <p><b>Change.</b> Another number of uses a request is another mix of requests: the curves have
 * another shape, and are forgotten. So they are where threads lead and another part of them holds a
 * connection at the same size ({@link ConnectionShare}): the database became slower or faster. No
 * response curve alone can see either.
 *
 * <p><b>Alone.</b> Where there is nothing to coordinate, each pool is sized by its own curve: a
 * pool without tasks, windows of one pool alone, fewer than 50 requests or uses, times that are no
 * ratio.
 *
 * <p><b>Several connections a request.</b> Threads that hold one connection and wait for the next
 * can wait for each other for ever, unless there are {@code threads * (most - 1) + 1} connections
 * for requests that hold {@code most} at once. Fewer are never asked for, threads lead, and their
 * number leaves room for it within the bounds of the connections. Where connections in use and
 * waits for them are more than the threads at work and nothing ends, {@code most} is raised.
 *
 * <p><b>Constants.</b> Chosen on simulated servers in front of a database, with draws for tuning;
 * docs/graveyard.md has what lost against the lead, the growth and the shrinking of a follower.
 * Numbers of windows that convince are judgement: they were not varied.
 */
public final class CoordinatedSizes {

  /** Pool whose response curve decides. */
  public enum Lead {
    /** Threads lead, connections follow. */
    THREADS,
    /** Connections lead, threads follow. */
    CONNECTIONS
  }

  /** Standard deviations of the number in use that the follower has on top of it. */
  private static final double SPARE = 3;

  /** Utilisation from which on a pool binds where tasks wait for it. */
  private static final double FULL = 0.95;

  /** Windows that change the lead. */
  private static final int LEAD_AFTER = 5;

  /** Windows in a row that show another mix, or other users of the connections. */
  private static final int CONVINCED = 8;

  /** Growth of threads that follow, while it brings the connections nothing. */
  private static final double CAREFUL = 1.2;

  /** Windows after which the visit ratio is that of the new mix. */
  private static final int SETTLED = 20;

  /** Windows of one pool without one of the other. */
  private static final int ALONE = 6;

  /** Windows in a row without progress that show a deadlock. */
  private static final int STALLED = 4;

  /** Change of the visit ratio, as a logarithm, that shows another mix. */
  private static final double OTHER_MIX = 0.15;

  /** Multiple of the load at which a ratio was measured, up to which it is taken to hold. */
  private static final double LEAP = 2;

  /** Factor by which a follower grows in a window at most. */
  private static final double GROWTH = 2;

  /** Part of its size that a follower keeps in a window at least; experiments of the leader end. */
  private static final double KEPT = 0.9;

  /** Connections in use or waited for, as a multiple of threads at work, that are too many. */
  private static final double CROWDED = 1.1;

  private static final Bounds ANY = new Bounds(1, 1_000_000);

  private final Objective objective;
  private final double tolerance;
  private final int processors;
  private final Residences residences = new Residences();
  private final ConnectionShare connectionShare = new ConnectionShare();
  private final ResidenceBound residenceBound = new ResidenceBound();
  private volatile ResponseCurveController threadCurve;
  private ResponseCurveController connectionCurve;

  private Bounds threadBounds = ANY;
  private Bounds connectionBounds = ANY;
  private @Nullable Window threadWindow;
  private @Nullable Window connectionWindow;

  /** Sizes asked for last, 0 before the first. */
  private int threads;

  private int connections;

  /** Most connections that a request is known to hold at once. */
  private int most;

  private Lead lead = Lead.CONNECTIONS;

  /** Whether threads were reduced for the heap since the last decision; then they lead. */
  private volatile boolean threadsRelieved;

  /** Connections that did not bind when threads took the lead. */
  private int sufficient = ANY.maximum();

  /** Whether the bound on the residence time has kept connections from growing. */
  private boolean held;

  private int windowsAgainst;
  private int threadsOnly;
  private int connectionsOnly;
  private int windowsStalled;
  private int windowsCrowded;
  private double usualVisits;

  /** Windows of another mix in a row; negative while the ratio follows. */
  private int windowsChanged = -SETTLED;

  /**
   * @param objective of the requests
   * @param tolerance as that of a {@link ResponseCurveController}
   * @param processors of the application, 1 or more
   * @param most connections that a request holds at once, 1 or more
   */
  public CoordinatedSizes(Objective objective, double tolerance, int processors, int most) {
    this.objective = objective;
    this.tolerance = tolerance;
    this.processors = processors;
    threadCurve = curve();
    connectionCurve = curve();
    requireMost(most);
  }

  private ResponseCurveController curve() {
    return new ResponseCurveController(objective, tolerance, processors);
  }

  private void requireMost(int connectionsAtOnce) {
    most = connectionsAtOnce;
    if (most > 1) {
      lead = Lead.THREADS; // For good, so no curve of the connections could raise a bound on them.
      sufficient = ANY.maximum();
    }
  }

  /** Returns the pool that leads. */
  public Lead lead() {
    return threadsRelieved ? Lead.THREADS : lead;
  }

  private void leadAfterRelief() {
    if (threadsRelieved) {
      threadsRelieved = false;
      lead = Lead.THREADS;
    }
  }

  /** Sets the bounds of the threads. */
  public void threadBounds(Bounds bounds) {
    threadBounds = bounds;
  }

  /** Sets the bounds of the connections. */
  public void connectionBounds(Bounds bounds) {
    connectionBounds = bounds;
  }

  /** Decides on the number of threads. */
  public Decision threads(Window window) {
    leadAfterRelief();
    residences.addRequests(window);
    threadWindow = window;
    threadsOnly++;
    connectionsOnly = 0;
    Window uses = connectionWindow;
    Decision decision;
    if (uses == null || threadsOnly > ALONE || !residences.measurable()) {
      decision = threadCurve.decide(window);
    } else {
      chooseLead(window, uses);
      noticeOtherMix();
      noticeOtherWork(window, uses);
      decision = lead == Lead.THREADS ? threadCurve.decide(window) : followingThreads(window, uses);
    }
    decision = leavingRoom(decision);
    threads = inForce(window, threads, threadBounds.clamp(decision.size()));
    return decision;
  }

  /** Decides on the number of connections. */
  public Decision connections(Window window) {
    leadAfterRelief();
    if (residences.addUses(window)) {
      residenceBound.add(window, residences.measurable() ? residences.residence() : 0);
    }
    connectionWindow = window;
    connectionsOnly++;
    threadsOnly = 0;
    Window requests = threadWindow;
    Decision decision;
    if (requests == null) {
      decision =
          most == 1
              ? connectionCurve.decide(window)
              : Decision.keep(
                  window, "no window of the threads yet, which may hold several connections each");
    } else {
      noticeDeadlock(window, requests);
      decision = warned(withoutDeadlock(deciding(window, requests), requests));
    }
    connections = inForce(window, connections, connectionBounds.clamp(decision.size()));
    return decision;
  }

  private Decision deciding(Window window, Window requests) {
    if (connectionsOnly > ALONE || !residences.measurable()) {
      return leading(window);
    }
    return lead == Lead.CONNECTIONS
        ? leading(withRequests(window, requests))
        : followingConnections(window);
  }

  /** Sizes connections by their curve, and by the time of a use. */
  private Decision leading(Window window) {
    if (held && residenceBound.relaxed()) {
      connectionCurve.lift();
      held = false;
    }
    Decision decision = connectionCurve.decide(window);
    int largest = residenceBound.connections();
    if (!residenceBound.exceeded() || decision.size() <= largest) {
      return decision;
    }
    held = true;
    connectionCurve.reduce(largest);
    return Decision.towards(
            largest,
            String.format(
                Locale.ROOT,
                "%s (asked for %d; uses take %.1f times the least of the last minutes, so more"
                    + " connections would slow down the database)",
                decision.reason(),
                decision.size(),
                residenceBound.slowdown()))
        .because(decision.numbers());
  }

  /**
   * Returns a smaller number of threads, as {@link io.poolkeeper.Controller#relieve}; then threads
   * lead. May be called while a decision is made.
   */
  public int relieve(int size, double collecting, double filling) {
    int relieved = threadCurve.relieve(size, collecting, filling);
    if (relieved < size) {
      threadsRelieved = true;
    }
    return relieved;
  }

  /**
   * Returns the size that counts as that of a pool: the one asked for, unless the pool has another
   * one than was asked for before, such as in dry-run or where it refuses.
   */
  private static int inForce(Window window, int askedBefore, int asked) {
    return askedBefore == 0 || window.size() == askedBefore ? asked : window.size();
  }

  private void chooseLead(Window requests, Window uses) {
    if (most > 1) {
      return;
    }
    boolean threadsBind = binds(requests);
    boolean connectionsBind = binds(uses);
    boolean other = lead == Lead.CONNECTIONS ? threadsBind && !connectionsBind : connectionsBind;
    windowsAgainst = other ? windowsAgainst + 1 : Math.max(0, windowsAgainst - 1);
    if (windowsAgainst >= LEAD_AFTER) {
      lead = lead == Lead.CONNECTIONS ? Lead.THREADS : Lead.CONNECTIONS;
      sufficient = lead == Lead.THREADS ? uses.size() : ANY.maximum();
      windowsAgainst = 0;
    }
  }

  private static boolean binds(Window window) {
    return window.queueMean() > 0.5 && window.utilisation() > FULL;
  }

  private void noticeOtherMix() {
    double visits = residences.visits();
    if (windowsChanged < 0) {
      windowsChanged++;
      usualVisits = visits;
      return;
    }
    boolean other = Math.abs(StrictMath.log(visits / usualVisits)) > OTHER_MIX;
    windowsChanged = other ? windowsChanged + 1 : 0;
    if (windowsChanged >= CONVINCED) {
      residenceBound.keepSlowdown();
      forgetCurves();
    }
  }

  private void noticeOtherWork(Window requests, Window uses) {
    if (lead != Lead.THREADS || !binds(requests) || requests.idle()) {
      return;
    }
    double share = uses.busy() / (requests.busy() - uses.queueMean());
    if (connectionShare.changes(requests.busy(), share)) {
      forgetCurves();
    }
  }

  private void forgetCurves() {
    windowsChanged = -SETTLED;
    connectionShare.forget();
    threadCurve = curve();
    connectionCurve = curve();
  }

  /** Counts each thread that holds a connection and waits for another one twice. */
  private void noticeDeadlock(Window uses, Window requests) {
    double wanted = uses.busy() + uses.queueMean();
    boolean crowded = wanted > CROWDED * requests.busy() + 1;
    windowsCrowded = crowded ? windowsCrowded + 1 : 0;
    boolean stands = crowded && uses.idle() && requests.idle() && binds(uses);
    windowsStalled = stands ? windowsStalled + 1 : 0;
    if (windowsStalled >= STALLED) {
      double each = Math.ceil(wanted / Math.max(1, requests.busy()));
      requireMost((int) Math.max(most, Math.min(each, 100)));
    }
  }

  private Decision followingThreads(Window requests, Window uses) {
    double growth = Math.max(1, Math.min(LEAP, connections / residences.inUse()));
    double needed = connections + growth * residences.inFront();
    // Requests that queue for the processors look like work that needs threads.
    double useful = binds(requests) && !binds(uses) ? CAREFUL * requests.size() + 1 : ANY.maximum();
    return following(
        requests, needed, useful, "%d connections keep %.1f threads at work", connections);
  }

  private Decision followingConnections(Window uses) {
    // Where the limit is in front of them those in use are needed, however few the threads. Their
    // mean, since a follower of their peaks never stops a database that falls behind.
    double inUse = residences.inUse();
    double ofThreads = threads * residences.connectionsPerThread();
    double needed = Math.max(Math.min(ofThreads, LEAP * inUse), inUse);
    double useful = Math.max((double) threads * most, CROWDED * needed);
    return following(
        uses, needed, Math.min(useful, sufficient), "%d threads use %.1f connections", threads);
  }

  /** Sizes the follower, in steps: a ratio holds near the load at which it was measured. */
  private Decision following(
      Window window, double needed, double useful, String sentence, int leading) {
    double roomy = Math.ceil(needed + SPARE * Math.sqrt(needed)) + 1;
    double wanted = Math.min(roomy, Math.ceil(useful));
    double least = Math.floor(KEPT * window.size());
    double largest = GROWTH * window.size();
    int size =
        (int) Math.max(1, Math.min(Math.max(least, Math.min(wanted, largest)), ANY.maximum()));
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("visits", residences.visits());
    numbers.put("residence", residences.residence());
    numbers.put("service", residences.service());
    numbers.put("needed", needed);
    return Decision.towards(
            size,
            String.format(
                Locale.ROOT,
                sentence + ": %.2f uses per request, %.2f ms each, of %.2f ms without waits",
                leading,
                needed,
                residences.visits(),
                residences.residence() / 1e6,
                residences.service() / 1e6))
        .because(numbers);
  }

  /** Keeps threads few enough that the connections suffice for all they may hold. */
  private Decision leavingRoom(Decision decision) {
    if (most == 1) {
      return decision;
    }
    int room = Math.max(1, (connectionBounds.maximum() - 1) / (most - 1));
    return decision.size() <= room
        ? decision
        : Decision.towards(
                room,
                "%s (asked for %d; with %d connections per request at once, %d connections suffice for"
                        .formatted(
                            decision.reason(), decision.size(), most, connectionBounds.maximum())
                    + " %d threads)".formatted(room))
            .because(decision.numbers());
  }

  private Decision withoutDeadlock(Decision decision, Window requests) {
    double holders = Math.max(Math.max(threads, requests.size()), Math.ceil(requests.busy()));
    double least = Math.min(holders * (most - 1) + 1, ANY.maximum());
    return decision.size() >= least
        ? decision
        : Decision.towards(
                (int) least,
                "%s (asked for %d; %.0f threads that hold up to %d each need %.0f)"
                    .formatted(decision.reason(), decision.size(), holders, most, least))
            .because(decision.numbers());
  }

  private Decision warned(Decision decision) {
    if (windowsCrowded < CONVINCED || most > 1) {
      return decision;
    }
    return Decision.towards(
            decision.size(),
            decision.reason()
                + "; more connections are held or waited for than threads are at work: other code"
                + " uses them, or requests hold several at once; if so, set connectionsPerRequest")
        .because(decision.numbers());
  }

  /** Returns a window of connections whose reward is that of the requests. */
  private static Window withRequests(Window uses, Window requests) {
    double good =
        requests.completions() > 0
            ? Math.min(1, (double) requests.withinBound() / requests.completions())
            : 0;
    double scale = uses.seconds() / requests.seconds();
    return uses.toBuilder()
        .withinBound(Math.round(good * uses.completions()))
        .times(uses.queueWait(), uses.serviceTime(), requests.responseTime())
        .cpu(scaled(requests.workerCpu(), scale), scaled(requests.processCpu(), scale))
        .build();
  }

  private static long scaled(long nanos, double scale) {
    return nanos < 0 ? nanos : Math.round(nanos * scale);
  }
}
