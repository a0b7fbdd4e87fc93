package io.poolkeeper.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients of a host, each of which calls again and again. While the load is held, work that began
 * does not end; while it flows, work takes about a millisecond.
 */
public final class HostLoad implements AutoCloseable {

  private static final long WORK = 1_000_000;

  private final List<Thread> clients = new ArrayList<>();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean held;
  private volatile boolean ending;

  /** Calls whose work has begun and not ended; guarded by this. */
  private int inside;

  /** Most calls that were inside at once since the load was held; guarded by this. */
  private int peak;

  /**
   * Starts clients whose work is held.
   *
   * @param clients how many call at the same time
   */
  public HostLoad(HostKit.Host host, int clients) {
    held = true;
    for (int i = 0; i < clients; i++) {
      Thread client = new Thread(() -> callAgainAndAgain(host), "client-" + i);
      client.setDaemon(true);
      this.clients.add(client);
      client.start();
    }
  }

  private void callAgainAndAgain(HostKit.Host host) {
    while (!ending) {
      try {
        host.call(this::work);
        answered.incrementAndGet();
      } catch (Throwable e) { // The test throws it.
        failure.compareAndSet(null, e);
        return;
      }
    }
  }

  private void work() {
    enter();
    do {
      LockSupport.parkNanos(WORK);
    } while (held && !ending);
    leave();
  }

  /**
   * Counts a call and its peak in one step: a thread that stopped between the two would set a peak
   * from before {@link #hold} after it.
   */
  private synchronized void enter() {
    inside++;
    peak = Math.max(peak, inside);
  }

  private synchronized void leave() {
    inside--;
  }

  /** Lets no work end from now on, and forgets the peak. */
  public synchronized void hold() {
    held = true;
    peak = inside;
  }

  /** Lets work end. */
  public void flow() {
    held = false;
  }

  /** Calls whose work has begun and not ended. */
  public synchronized int inside() {
    return inside;
  }

  /** Most calls that were inside at once since the load was held. */
  public synchronized int peak() {
    return peak;
  }

  /** Calls that have been answered. */
  public long answered() {
    return answered.get();
  }

  /** Waits until as many calls are inside. */
  public void awaitInside(int expected) {
    Conditions.await(
        () -> expected + " inside, but " + inside(),
        () -> {
          requireNoFailure();
          return inside() == expected;
        });
  }

  /** Waits until as many more calls have been answered. */
  public void awaitAnswers(int more) {
    long expected = answered.get() + more;
    Conditions.await(
        () -> expected + " answers, but " + answered,
        () -> {
          requireNoFailure();
          return answered.get() >= expected;
        });
  }

  /** Throws what a call has thrown. */
  public void requireNoFailure() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("a call failed", thrown);
    }
  }

  /** Lets all work end, and waits for the clients. */
  public void end() {
    ending = true;
    Conditions.await("clients have ended", () -> clients.stream().noneMatch(Thread::isAlive));
  }

  /** As {@link #end}. */
  @Override
  public void close() {
    end();
  }
}
