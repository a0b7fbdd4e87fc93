package io.poolkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class BroadcasterTest {

  private static final int EVENTS = 20_000;

  /** Fails where it is called twice at a time, and keeps the order of the events in its list. */
  private static final class Strict implements ControlListener {
    private final AtomicBoolean inside = new AtomicBoolean();
    private final List<Integer> heard = new ArrayList<>(); // Unguarded: one thread at a time.
    private volatile boolean broken;
    private volatile boolean closed; // As it is told the last event.

    void number(int number) {
      broken |= closed || !inside.compareAndSet(false, true);
      heard.add(number);
      inside.set(false);
    }
  }

  private static void number(ControlListener listener, int number) {
    ((Strict) listener).number(number);
  }

  /** The race: one thread posts while another that has delivered all is about to stop. */
  @Test
  void everyListenerGetsEveryEventInOrderWhoeverDelivers() throws Exception {
    CountDownLatch closed = new CountDownLatch(3);
    Broadcaster broadcaster =
        new Broadcaster(
            "stress",
            listener -> {
              ((Strict) listener).closed = true;
              closed.countDown();
            });
    List<Strict> listeners = List.of(new Strict(), new Strict(), new Strict());
    listeners.forEach(broadcaster::add);
    AtomicBoolean posting = new AtomicBoolean(true);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      threads.add(
          new Thread(
              () -> {
                while (posting.get()) {
                  broadcaster.deliver();
                }
              }));
    }
    threads.forEach(Thread::start);
    for (int i = 0; i < EVENTS; i++) {
      int number = i;
      broadcaster.post(listener -> number(listener, number));
      broadcaster.deliver();
    }
    broadcaster.postLast();
    broadcaster.post(listener -> number(listener, -1));
    broadcaster.deliver();
    assertThat(closed.await(300, TimeUnit.SECONDS)).isTrue();
    posting.set(false);
    for (Thread thread : threads) {
      thread.join();
    }
    broadcaster.awaitLast(TimeUnit.SECONDS.toNanos(300));
    for (Strict listener : listeners) {
      assertThat(listener.broken).isFalse();
      assertThat(listener.heard).hasSize(EVENTS).isSorted();
    }
  }

  @Test
  void aListenerThatCallsBackHearsTheRestInOrder() {
    Broadcaster broadcaster = new Broadcaster("nested", listener -> number(listener, -1));
    Strict listener = new Strict();
    broadcaster.add(listener);
    broadcaster.post(
        receiver -> {
          broadcaster.post(inner -> number(inner, 2));
          broadcaster.deliver();
          number(receiver, 1);
          assertThat(broadcaster.delivers()).isTrue();
        });
    broadcaster.deliver();
    assertThat(listener.heard).containsExactly(1, 2);
    assertThat(broadcaster.delivers()).isFalse();
  }

  /** The race: an event comes when the thread that delivers has seen none and not left yet. */
  @Test
  void noEventIsLeftBehindWhereTwoThreadsPostAndDeliverOnce() throws Exception {
    Broadcaster broadcaster = new Broadcaster("stress", listener -> {});
    Strict listener = new Strict();
    broadcaster.add(listener);
    CyclicBarrier barrier = new CyclicBarrier(2);
    int[] left = {0};
    Callable<Void> poster =
        () -> {
          for (int round = 1; round <= EVENTS; round++) {
            barrier.await(300, TimeUnit.SECONDS);
            broadcaster.post(receiver -> number(receiver, 0));
            broadcaster.deliver();
            // Who comes last finds all delivered: neither is in a call any more.
            if (barrier.await(300, TimeUnit.SECONDS) == 0 && listener.heard.size() != 2 * round) {
              left[0]++;
            }
          }
          return null;
        };
    FutureTask<Void> other = new FutureTask<>(poster);
    new Thread(other).start();
    poster.call();
    other.get(300, TimeUnit.SECONDS);
    assertThat(left[0]).isZero();
  }

  @Test
  void ofFailuresInARowOneIsLogged() {
    Broadcaster broadcaster = new Broadcaster("failing", listener -> {});
    broadcaster.add(new Strict());
    try (CountingLog log = new CountingLog("failing")) {
      for (int i = 0; i < 3; i++) {
        broadcaster.post(BroadcasterTest::fail);
      }
      broadcaster.deliver();
      assertThat(log.lines()).isEqualTo(1);
      for (int i = 0; i < 20; i++) {
        broadcaster.post(listener -> {}); // The decision after a window.
        broadcaster.post(BroadcasterTest::fail);
      }
      broadcaster.deliver();
      assertThat(log.lines()).as("it fails with each window").isEqualTo(1);
      for (int i = 0; i < 10; i++) {
        broadcaster.post(listener -> {});
      }
      broadcaster.post(BroadcasterTest::fail);
      broadcaster.deliver();
      assertThat(log.lines()).as("it had recovered").isEqualTo(2);
    }
  }

  private static void fail(ControlListener listener) {
    throw new IllegalStateException("thrown by " + listener);
  }
}
