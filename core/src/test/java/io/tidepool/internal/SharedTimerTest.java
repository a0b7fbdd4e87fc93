package io.tidepool.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.spi.LoopTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SharedTimerTest {

  private static final Duration SHORT = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMillis(20);

  private final SharedTimer timer = new SharedTimer(PATIENCE);

  @Test
  void aCallInTimeIsFollowedByTheNextOfTheGrid() {
    assertThat(SharedTimer.following(1003, 100)).isEqualTo(1100);
  }

  /**
   * Found so: after a pause of five intervals came a window of some microseconds, so an idle one.
   */
  @Test
  void aLateCallIsNotFollowedByAnotherAtOnce() {
    assertThat(SharedTimer.following(1501, 100)).isEqualTo(1600);
    assertThat(SharedTimer.following(1598, 100)).isEqualTo(1700);
  }

  @Property
  void theNextCallIsOnTheGridAndBetweenHalfAndOneAndAHalfIntervalsAway(
      @ForAll @LongRange(min = 1, max = 1_000_000) long halfInterval, @ForAll int now) {
    long interval = 2 * halfInterval;
    long next = SharedTimer.following(now, interval);
    assertThat(next % interval).isZero();
    assertThat(next - now).isBetween(halfInterval, 3 * halfInterval);
  }

  @Test
  void allLoopsShareADaemonThreadThatEndsWithTheLast() throws Exception {
    Set<Thread> callers = ConcurrentHashMap.newKeySet();
    List<LoopTimer.Stop> loops = new ArrayList<>();
    CountDownLatch calls = new CountDownLatch(30);
    for (int i = 0; i < 10; i++) {
      CountDownLatch three = new CountDownLatch(3);
      loops.add(
          timer.start(
              "loop " + i,
              SHORT,
              () -> {
                callers.add(Thread.currentThread());
                Thread.currentThread().interrupt(); // Must not make the wait a busy one.
                if (three.getCount() > 0) {
                  three.countDown();
                  calls.countDown();
                }
              }));
    }
    assertThat(calls.await(30, TimeUnit.SECONDS)).isTrue();
    loops.forEach(LoopTimer.Stop::stop);
    loops.forEach(LoopTimer.Stop::stop);
    for (Thread caller : callers) {
      assertThat(caller.isDaemon()).isTrue();
      caller.join(10_000);
      assertThat(caller.isAlive()).isFalse();
    }
  }

  @Test
  void startsAnewAfterItsThreadHasEnded() throws Exception {
    AtomicReference<Thread> first = new AtomicReference<>();
    callOnce(first);
    Objects.requireNonNull(first.get()).join(10_000);
    AtomicReference<Thread> second = new AtomicReference<>();
    callOnce(second);
    assertThat(second.get()).isNotNull().isNotSameAs(first.get());
  }

  private void callOnce(AtomicReference<Thread> caller) throws InterruptedException {
    CountDownLatch called = new CountDownLatch(1);
    LoopTimer.Stop stop =
        timer.start(
            "once",
            SHORT,
            () -> {
              caller.set(Thread.currentThread());
              called.countDown();
            });
    assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
    stop.stop();
  }

  @Test
  void aCallThatHangsHoldsUpNobodyAndIsCalledAgainOnceItIsBack() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch hangs = new CountDownLatch(2);
    CountDownLatch back = new CountDownLatch(1);
    List<LoopTimer.Stop> loops = new ArrayList<>();
    for (int i = 0; i < 2; i++) { // Two at a time: the deputy's caller may be lost as well.
      loops.add(
          timer.start(
              "hangs",
              SHORT,
              () -> {
                if (release.getCount() > 0) {
                  hangs.countDown();
                  awaitUninterrupted(release);
                } else {
                  back.countDown();
                }
              }));
    }
    assertThat(hangs.await(30, TimeUnit.SECONDS)).isTrue();
    CountDownLatch others = new CountDownLatch(3);
    loops.add(timer.start("goes on", SHORT, others::countDown));
    assertThat(others.await(30, TimeUnit.SECONDS)).isTrue();
    release.countDown();
    assertThat(back.await(30, TimeUnit.SECONDS)).isTrue();
    loops.forEach(LoopTimer.Stop::stop);
  }

  @Test
  void aLoopIsNeverCalledTwiceAtATimeThoughCallersChange() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch calls = new CountDownLatch(5);
    LoopTimer.Stop stop =
        timer.start(
            "slow",
            SHORT,
            () -> {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              awaitUninterrupted(new CountDownLatch(1), 3 * PATIENCE.toMillis());
              inside.decrementAndGet();
              calls.countDown();
            });
    assertThat(calls.await(30, TimeUnit.SECONDS)).isTrue();
    stop.stop();
    assertThat(most).hasValue(1);
  }

  @Test
  void aCallThatThrowsIsCalledAgain() throws Exception {
    CountDownLatch calls = new CountDownLatch(3);
    LoopTimer.Stop stop =
        timer.start(
            "throws",
            SHORT,
            () -> {
              calls.countDown();
              throw new AssertionError("thrown by the test");
            });
    assertThat(calls.await(30, TimeUnit.SECONDS)).isTrue();
    stop.stop();
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    awaitUninterrupted(latch, TimeUnit.MINUTES.toMillis(1));
  }

  private static void awaitUninterrupted(CountDownLatch latch, long millis) {
    try {
      boolean unused = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
