package io.poolkeeper.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean held;
  private volatile boolean ending;

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
    int now = inside.incrementAndGet();
    peak.accumulateAndGet(now, Math::max);
    do {
      LockSupport.parkNanos(WORK);
    } while (held && !ending);
    inside.decrementAndGet();
  }

  /** Lets no work end from now on, and forgets the peak. */
  public void hold() {
    held = true;
    peak.set(0); // First, or the peak of a call that comes now would be lost.
    peak.accumulateAndGet(inside.get(), Math::max);
  }

  /** Lets work end. */
  public void flow() {
    held = false;
  }

  /** Calls whose work has begun and not ended. */
  public int inside() {
    return inside.get();
  }

  /** Most calls that were inside at once since the load was held. */
  public int peak() {
    return peak.get();
  }

  /** Calls that have been answered. */
  public long answered() {
    return answered.get();
  }

  /** Waits until as many calls are inside. */
  public void awaitInside(int expected) {
    Conditions.await(
        () -> expected + " inside, but " + inside,
        () -> {
          requireNoFailure();
          // A call counts as inside a moment before it counts for the peak.
          return inside.get() == expected && peak.get() >= expected;
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
