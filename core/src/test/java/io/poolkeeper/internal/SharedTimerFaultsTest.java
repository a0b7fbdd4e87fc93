package io.poolkeeper.internal;

import static io.poolkeeper.internal.SharedTimerTest.awaitCalls;
import static io.poolkeeper.internal.SharedTimerTest.awaitUninterrupted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls, logs, clocks and threads that fail under the timer. */
@Timeout(300)
final class SharedTimerFaultsTest {

  private static final Duration SHORT = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMillis(20);

  private final SharedTimer timer =
      new SharedTimer(PATIENCE, System::nanoTime, SharedTimer::daemon);

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
    assertThat(calls.await(300, TimeUnit.SECONDS)).isTrue();
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
    assertThat(calls.await(300, TimeUnit.SECONDS)).isTrue();
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
    assertThat(hangs.await(300, TimeUnit.SECONDS)).isTrue();
    CountDownLatch calls = new CountDownLatch(3); // With which the deputy has to help.
    LoopTimer.Stop third = scarce.start("third", SHORT, calls::countDown);
    assertThat(calls.await(300, TimeUnit.SECONDS)).isTrue();
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
    assertThat(calls.await(300, TimeUnit.SECONDS)).isTrue();
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
      assertThat(hangs.await(300, TimeUnit.SECONDS)).isTrue();
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
            new SharedTimerTest.CallersTime(), // No call takes long, however busy the machine is.
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
      assertThat(logged.await(300, TimeUnit.SECONDS)).isTrue();
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
}
