package io.poolkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Await;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Grid of the calls, calls that hang or come late, and a clock that jumps. */
@Timeout(300)
final class SharedTimerTest {

  private static final Duration SHORT = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMillis(20);

  private final SharedTimer timer =
      new SharedTimer(PATIENCE, System::nanoTime, SharedTimer::daemon);

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
    assertThat(calls.await(300, TimeUnit.SECONDS)).isTrue();
    loops.forEach(LoopTimer.Stop::stop);
    loops.forEach(LoopTimer.Stop::stop);
    for (Thread caller : callers) {
      assertThat(caller.isDaemon()).isTrue();
      caller.join(300_000);
      assertThat(caller.isAlive()).isFalse();
    }
  }

  @Test
  void startsAnewAfterItsThreadHasEnded() throws Exception {
    AtomicReference<Thread> first = new AtomicReference<>();
    callOnce(first);
    Objects.requireNonNull(first.get()).join(300_000);
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
    assertThat(called.await(300, TimeUnit.SECONDS)).isTrue();
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
    assertThat(hangs.await(300, TimeUnit.SECONDS)).isTrue();
    CountDownLatch others = new CountDownLatch(3);
    loops.add(timer.start("goes on", SHORT, others::countDown));
    assertThat(others.await(300, TimeUnit.SECONDS)).isTrue();
    release.countDown();
    assertThat(back.await(300, TimeUnit.SECONDS)).isTrue();
    loops.forEach(LoopTimer.Stop::stop);
  }

  /** A time that goes on when a caller reads it, until a call stops it. */
  static final class CallersTime implements Ticker {
    private final AtomicLong now = new AtomicLong();
    private final Semaphore looks = new Semaphore(0);
    private volatile boolean stopped;

    @Override
    public long nanoTime() {
      String reader = Thread.currentThread().getName();
      if (reader.equals("poolkeeper-deputy")) {
        looks.release();
      } else if (reader.equals("poolkeeper-loops") && !stopped) {
        now.addAndGet(SHORT.toNanos() / 2);
      }
      return now.get();
    }

    /** Goes on by that much, and waits until the deputy has seen it and done what follows. */
    void advance(Duration time) throws InterruptedException {
      now.addAndGet(time.toNanos());
      looks.drainPermits();
      assertThat(looks.tryAcquire(2, 300, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aCallHoldsUpOthersForThePatienceAndNoLonger(int which) throws Exception {
    CallersTime time = new CallersTime();
    SharedTimer timed = new SharedTimer(PATIENCE, time, SharedTimer::daemon);
    CountDownLatch release = new CountDownLatch(1);
    LoopTimer.Stop slow = startSlow(timed, time, which, release);
    CountDownLatch other = new CountDownLatch(1);
    LoopTimer.Stop goesOn = timed.start("goes on", SHORT, other::countDown);
    time.advance(PATIENCE);
    assertThat(other.getCount()).as("its time is not over").isEqualTo(1);
    time.now.addAndGet(1);
    assertThat(other.await(300, TimeUnit.SECONDS)).isTrue();
    slow.stop();
    goesOn.stop();
    release.countDown();
  }

  /** A first call loads classes: on a busy machine usual ones took longer than the patience. */
  @ParameterizedTest
  @CsvSource({"1, 5", "2, 1"})
  void aFirstCallIsReportedAsLateAfterFiveTimesThePatience(int which, int patiences)
      throws Exception {
    CallersTime time = new CallersTime();
    SharedTimer timed = new SharedTimer(PATIENCE, time, SharedTimer::daemon);
    CountDownLatch release = new CountDownLatch(1);
    try (CountingLog log = new CountingLog("slow")) {
      LoopTimer.Stop slow = startSlow(timed, time, which, release);
      for (int i = 0; i < patiences; i++) {
        time.advance(PATIENCE);
      }
      assertThat(log.lines()).as("its time is not over").isZero();
      time.now.addAndGet(1);
      Await.until("it is logged", () -> log.lines() == 1);
      release.countDown();
      slow.stop();
    }
  }

  /** Starts a loop of which one call stops the time and waits. */
  private static LoopTimer.Stop startSlow(
      SharedTimer timer, CallersTime time, int which, CountDownLatch release)
      throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch hangs = new CountDownLatch(1);
    LoopTimer.Stop slow =
        timer.start(
            "slow",
            SHORT,
            () -> {
              if (calls.incrementAndGet() == which) {
                time.stopped = true;
                hangs.countDown();
                awaitUninterrupted(release);
              }
            });
    assertThat(hangs.await(300, TimeUnit.SECONDS)).isTrue();
    return slow;
  }

  @Test
  void aLoopIsNeverCalledTwiceAtATimeThoughCallersChange() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch calls = new CountDownLatch(5);
    LoopTimer.Stop stop =
        timer.start(
            "sleeps",
            SHORT,
            () -> {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              awaitUninterrupted(new CountDownLatch(1), 3 * PATIENCE.toMillis());
              inside.decrementAndGet();
              calls.countDown();
            });
    assertThat(calls.await(300, TimeUnit.SECONDS)).isTrue();
    stop.stop();
    assertThat(most).hasValue(1);
  }

  static void awaitCalls(AtomicInteger calls, int wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
    while (calls.get() < wanted) {
      assertThat(System.nanoTime() - deadline).as("waited in vain for calls").isNegative();
      LockSupport.parkNanos(100_000);
    }
  }

  /** A clock that can be put forward and back while it runs. */
  private static final class JumpingTime implements Ticker {
    private final AtomicLong offset = new AtomicLong();

    @Override
    public long nanoTime() {
      return System.nanoTime() + offset.get();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-5, 5})
  void callsGoOnAfterTheClockHasJumpedByHours(long hours) throws Exception {
    JumpingTime time = new JumpingTime();
    SharedTimer timed = new SharedTimer(PATIENCE, time, SharedTimer::daemon);
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger rare = new AtomicInteger();
    LoopTimer.Stop often = timed.start("often", SHORT, calls::incrementAndGet);
    LoopTimer.Stop seldom = timed.start("seldom", Duration.ofHours(1), rare::incrementAndGet);
    awaitCalls(calls, 3);
    time.offset.addAndGet(TimeUnit.HOURS.toNanos(hours));
    awaitCalls(calls, calls.get() + 20);
    assertThat(rare.get()).as("no burst").isLessThanOrEqualTo(1);
    often.stop();
    seldom.stop();
  }

  /** A jump in the midst of a call, so that it is its own next call that must not be lost. */
  @Test
  void aJumpBackDuringACallDelaysNoNextOne() throws Exception {
    JumpingTime time = new JumpingTime();
    SharedTimer timed = new SharedTimer(PATIENCE, time, SharedTimer::daemon);
    AtomicInteger calls = new AtomicInteger();
    LoopTimer.Stop stop =
        timed.start(
            "jumps",
            SHORT,
            () -> {
              if (calls.incrementAndGet() == 2) {
                time.offset.addAndGet(-TimeUnit.HOURS.toNanos(3));
              }
            });
    awaitCalls(calls, 10);
    stop.stop();
  }

  @Test
  void anIntervalMayChangeFromCallToCall() throws Exception {
    AtomicLong interval = new AtomicLong(TimeUnit.HOURS.toNanos(1));
    AtomicInteger calls = new AtomicInteger();
    AtomicLong offset = new AtomicLong();
    SharedTimer timed =
        new SharedTimer(PATIENCE, () -> System.nanoTime() + offset.get(), SharedTimer::daemon);
    LoopTimer.Stop stop = timed.start("varies", interval::get, calls::incrementAndGet);
    interval.set(SHORT.toNanos());
    offset.addAndGet(TimeUnit.HOURS.toNanos(2));
    awaitCalls(calls, 5);
    stop.stop();
  }

  static void awaitUninterrupted(CountDownLatch latch) {
    awaitUninterrupted(latch, TimeUnit.MINUTES.toMillis(5));
  }

  static void awaitUninterrupted(CountDownLatch latch, long millis) {
    try {
      boolean unused = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
