package io.poolkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Await;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
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

  /** A time that goes on when a caller reads it, until a call stops it. */
  private static final class CallersTime implements Ticker {
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
      assertThat(looks.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
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
    assertThat(other.await(30, TimeUnit.SECONDS)).isTrue();
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
    try (CountingLog log = new CountingLog()) {
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
    assertThat(hangs.await(30, TimeUnit.SECONDS)).isTrue();
    return slow;
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

  @Test
  void whatCannotEvenBeLoggedCostsNobodyHisCalls() throws Exception {
    CountDownLatch calls = new CountDownLatch(3);
    LoopTimer.Stop stop =
        timer.start(
            "throws",
            SHORT,
            () -> {
              calls.countDown();
              throw new IllegalStateException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                  throw new AssertionError("thrown while it is logged");
                }
              };
            });
    assertThat(calls.await(30, TimeUnit.SECONDS)).isTrue();
    stop.stop();
  }

  /** Of its thread number {@code refused}, counted from 0, the system refuses to start. */
  private static SharedTimer withoutThread(int refused) {
    AtomicInteger made = new AtomicInteger();
    return new SharedTimer(
        PATIENCE,
        System::nanoTime,
        work ->
            made.getAndIncrement() != refused
                ? SharedTimer.daemon(work)
                : new Thread(work) {
                  @Override
                  public synchronized void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aStartForWhichThereIsNoThreadSpoilsNoLaterOne(int refused) throws Exception {
    SharedTimer scarce = withoutThread(refused);
    AtomicInteger notStarted = new AtomicInteger();
    assertThatThrownBy(() -> scarce.start("first", SHORT, notStarted::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch hangs = new CountDownLatch(1);
    LoopTimer.Stop second =
        scarce.start(
            "second",
            SHORT,
            () -> {
              hangs.countDown();
              awaitUninterrupted(release);
            });
    assertThat(hangs.await(30, TimeUnit.SECONDS)).isTrue();
    CountDownLatch calls = new CountDownLatch(3); // With which the deputy has to help.
    LoopTimer.Stop third = scarce.start("third", SHORT, calls::countDown);
    assertThat(calls.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(notStarted).hasValue(0);
    release.countDown();
    second.stop();
    third.stop();
  }

  @Test
  void theDeputyTriesAgainWhereThereWasNoThreadForAnotherCaller() throws Exception {
    SharedTimer scarce = withoutThread(2);
    CountDownLatch release = new CountDownLatch(1);
    LoopTimer.Stop hanging = scarce.start("hangs", SHORT, () -> awaitUninterrupted(release));
    CountDownLatch calls = new CountDownLatch(3);
    LoopTimer.Stop other = scarce.start("goes on", SHORT, calls::countDown);
    assertThat(calls.await(30, TimeUnit.SECONDS)).isTrue();
    release.countDown();
    hanging.stop();
    other.stop();
  }

  /** Handlers of the log throw an error, as they do where the heap is full, until it is closed. */
  private static final class FailingLog extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.poolkeeper");

    FailingLog() {
      logger.setUseParentHandlers(false);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      throw new OutOfMemoryError("thrown by the test's log handler");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }

  /** A timer for which there are threads only while {@code possible}. */
  private static SharedTimer withThreadsWhile(AtomicBoolean possible, List<Thread> made) {
    return new SharedTimer(
        PATIENCE,
        System::nanoTime,
        work -> {
          if (!possible.get()) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          Thread thread = SharedTimer.daemon(work);
          made.add(thread);
          return thread;
        });
  }

  /** Found so: the deputy died of the log, the caller of there being no thread for another one. */
  @Test
  void goesOnOnceThereAreThreadsAgainThoughNoneWereToBeHadAndTheLogFailed() throws Exception {
    AtomicBoolean possible = new AtomicBoolean(true);
    SharedTimer scarce = withThreadsWhile(possible, new CopyOnWriteArrayList<>());
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (FailingLog log = new FailingLog()) {
      assertThat(log).isNotNull();
      LoopTimer.Stop goesOn =
          scarce.start(
              "goes on",
              SHORT,
              () -> {
                calls.incrementAndGet();
                throw new AssertionError("thrown by the test");
              });
      awaitCalls(calls, 3);
      LoopTimer.Stop hanging =
          scarce.start(
              "hangs",
              SHORT,
              () -> {
                possible.set(false);
                hangs.countDown();
                awaitUninterrupted(release);
              });
      assertThat(hangs.await(30, TimeUnit.SECONDS)).isTrue();
      awaitUninterrupted(new CountDownLatch(1), 10 * PATIENCE.toMillis()); // Looks in vain.
      possible.set(true);
      awaitCalls(calls, calls.get() + 3);
      possible.set(false);
      release.countDown(); // The caller that hung ends, the other one stays.
      awaitCalls(calls, calls.get() + 3);
      hanging.stop();
      goesOn.stop();
    }
  }

  private static void awaitCalls(AtomicInteger calls, int wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (calls.get() < wanted) {
      assertThat(System.nanoTime() - deadline).as("waited in vain for calls").isNegative();
      LockSupport.parkNanos(100_000);
    }
  }

  /** The loop that was called last is not forgotten if something is thrown between calls. */
  @Test
  void outlivesAClockThatThrows() throws Exception {
    AtomicInteger readings = new AtomicInteger();
    SharedTimer timed =
        new SharedTimer(
            PATIENCE,
            () -> {
              boolean ours = Thread.currentThread().getName().startsWith("poolkeeper-");
              if (ours && readings.incrementAndGet() % 2 == 0) {
                throw new OutOfMemoryError("thrown by the test");
              }
              return System.nanoTime();
            },
            SharedTimer::daemon);
    AtomicInteger calls = new AtomicInteger();
    LoopTimer.Stop stop = timed.start("goes on", SHORT, calls::incrementAndGet);
    awaitCalls(calls, 20);
    stop.stop();
  }

  /** A thread that dies of what nobody can catch, such as a stop, is replaced. */
  @Test
  void aCallerThatIsGoneIsReplacedAndItsLoopCalledAgain() throws Exception {
    List<Thread> made = new CopyOnWriteArrayList<>();
    AtomicBoolean dies = new AtomicBoolean(true);
    AtomicInteger calls = new AtomicInteger();
    SharedTimer mortal =
        new SharedTimer(
            PATIENCE,
            System::nanoTime,
            work -> {
              boolean first = made.isEmpty();
              Thread thread =
                  SharedTimer.daemon(
                      first
                          ? () -> {
                            if (!dies.get()) {
                              work.run();
                            }
                          }
                          : work);
              made.add(thread);
              return thread;
            });
    LoopTimer.Stop stop = mortal.start("goes on", SHORT, calls::incrementAndGet);
    awaitCalls(calls, 3);
    assertThat(made).hasSize(3);
    stop.stop();
  }

  /** Found so: the deputy logged with the timer locked, so a log that hung stopped every loop. */
  @Test
  void aLogThatHangsHoldsUpNobody() throws Exception {
    Logger logger = Logger.getLogger("io.poolkeeper");
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch logged = new CountDownLatch(1);
    Handler hanging =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            logged.countDown();
            awaitUninterrupted(release);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(hanging);
    try {
      LoopTimer.Stop first = timer.start("hangs", SHORT, () -> awaitUninterrupted(release));
      assertThat(logged.await(30, TimeUnit.SECONDS)).isTrue();
      AtomicInteger calls = new AtomicInteger();
      LoopTimer.Stop second = timer.start("goes on", SHORT, calls::incrementAndGet);
      awaitCalls(calls, 3);
      LoopTimer.Stop third = timer.start("hangs too", SHORT, () -> awaitUninterrupted(release));
      awaitCalls(calls, calls.get() + 20);
      first.stop();
      second.stop();
      third.stop();
    } finally {
      logger.removeHandler(hanging);
      release.countDown();
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
