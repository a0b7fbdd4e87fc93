package io.poolkeeper;

import static java.lang.Thread.State.TIMED_WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class AdaptiveExecutorTest {

  @Test
  void growthStartsWorkersWhileABacklogWaits() throws Exception {
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("growth").bounds(1, 8).initialSize(1).mode(Mode.FROZEN).build()) {
      CountDownLatch running = new CountDownLatch(8);
      CountDownLatch release = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        pool.execute(
            () -> {
              running.countDown();
              Await.latch(release);
            });
      }
      pool.resize(8);
      assertThat(running.await(300, TimeUnit.SECONDS)).isTrue();
      release.countDown();
    }
  }

  @Test
  void anErrorCostsNoWorker() throws Exception {
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("errors")
            .bounds(1, 3)
            .initialSize(3)
            .window(Duration.ofDays(1))
            .threadFactory(
                body -> {
                  Thread thread = new Thread(body);
                  thread.setUncaughtExceptionHandler((t, e) -> {});
                  return thread;
                })
            .build()) {
      for (int i = 0; i < 100; i++) {
        pool.execute(
            () -> {
              throw new StackOverflowError("on purpose");
            });
      }
      assertThat(pool.submit(() -> "alive").get(300, TimeUnit.SECONDS)).isEqualTo("alive");
      Await.until("all three workers are there", () -> pool.workers().size() == 3);
    }
  }

  /** Found so: the JDK ends a pool with its lock held, and the loop was closed under that lock. */
  @Test
  void aListenerMayCloseThePoolAndHearsNothingAfterwards() throws Exception {
    HandTimer timer = new HandTimer();
    AtomicReference<@Nullable AdaptiveExecutor> made = new AtomicReference<>();
    CountDownLatch release = new CountDownLatch(1);
    List<String> heard = new CopyOnWriteArrayList<>();
    AdaptiveExecutor pool =
        AdaptiveExecutor.builder("closed-by-listener")
            .jmx(false)
            .timer(timer)
            .listener(
                new ControlListener() {
                  @Override
                  public void onWindow(Resizable resizable, Window window) {
                    heard.add("window");
                    AdaptiveExecutor closing = made.getAndSet(null);
                    if (closing != null) {
                      release.countDown();
                      closing.close();
                    }
                  }

                  @Override
                  public void onStep(Resizable resizable, Step step) {
                    heard.add("step");
                  }

                  @Override
                  public void onClose(Resizable resizable) {
                    heard.add("close");
                  }
                })
            .build();
    made.set(pool);
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(release);
        });
    Await.latch(begun);
    Thread ticking = new Thread(timer::tick);
    ticking.setDaemon(true);
    ticking.start();
    ticking.join(300_000);
    assertThat(ticking.isAlive()).as("still waits").isFalse();
    assertThat(pool.isTerminated()).isTrue();
    Await.until("the end is heard", () -> heard.contains("close"));
    assertThat(heard).containsExactly("window", "window", "close");
  }

  @Test
  void growthThatFailsLeavesTheSizeThatIsThere() {
    AtomicBoolean failing = new AtomicBoolean();
    AdaptiveExecutor pool =
        AdaptiveExecutor.builder("no-memory")
            .bounds(1, 8)
            .initialSize(1)
            .mode(Mode.FROZEN)
            .jmx(false)
            .threadFactory(
                body -> {
                  if (failing.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  return new Thread(body);
                })
            .build();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      pool.execute(
          () -> {
            Await.latch(release);
            ran.countDown();
          });
    }
    failing.set(true);
    assertThatThrownBy(() -> pool.resize(8)).isInstanceOf(OutOfMemoryError.class);
    assertThat(pool.size()).isEqualTo(1);
    release.countDown();
    Await.latch(ran);
    pool.close();
  }

  @Test
  void badSettingsAreNamedWithTheirValue() {
    assertThatThrownBy(() -> AdaptiveExecutor.builder(" ")).hasMessage("name must not be blank");
    AdaptiveExecutor.Builder builder = AdaptiveExecutor.builder("bad");
    assertThatThrownBy(() -> builder.bounds(0, 4)).hasMessage("minimum must be >= 1, but is 0");
    assertThatThrownBy(() -> builder.bounds(5, 4))
        .hasMessage("maximum must be >= minimum, but 4 < 5");
    assertThatThrownBy(() -> builder.initialSize(0))
        .hasMessage("initialSize must be >= 1, but is 0");
    assertThatThrownBy(() -> builder.queueCapacity(0))
        .hasMessage("queueCapacity must be >= 1, but is 0");
    assertThatThrownBy(() -> builder.bounds(1, 4).initialSize(9).build())
        .hasMessage("initialSize must be within 1..4, but is 9");
    assertThatThrownBy(() -> builder.window(Duration.ofNanos(10)))
        .hasMessage("window must be >= 1 ms, but is PT0.00000001S");
    assertThatThrownBy(() -> builder.hangAfter(Duration.ZERO))
        .hasMessage("hangAfter must be positive, but is PT0S");
  }

  private static AdaptiveExecutor.Builder frozen(int size) {
    return AdaptiveExecutor.builder("frozen")
        .bounds(1, 8)
        .initialSize(size)
        .mode(Mode.FROZEN)
        .window(Duration.ofDays(1))
        .jmx(false);
  }

  @Test
  void idleWorkersHearOfANewKeepAliveTime() {
    AdaptiveExecutor pool = frozen(4).build();
    List<Thread> workers = sleepingWorkers(pool, 4);
    pool.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
    Await.until("all have left", () -> pool.getPoolSize() == 0);
    Await.until("all have ended", () -> workers.stream().noneMatch(Thread::isAlive));
    pool.close();
  }

  private static List<Thread> sleepingWorkers(AdaptiveExecutor pool, int workers) {
    pool.prestartAllCoreThreads();
    List<Thread> threads = pool.workers();
    assertThat(threads).hasSize(workers);
    Await.until("all sleep", () -> sleeping(threads) == workers);
    return threads;
  }

  private static long sleeping(List<Thread> threads) {
    return threads.stream()
        .filter(thread -> thread.getState() == State.WAITING || thread.getState() == TIMED_WAITING)
        .count();
  }

  /** All are woken for the one that has to leave, and none has been idle for as long as it may. */
  @ParameterizedTest
  @ValueSource(longs = {1, Long.MAX_VALUE})
  void whenOneIdleWorkerLeavesTheOthersStay(long hours) {
    AdaptiveExecutor pool = frozen(4).build();
    pool.setKeepAliveTime(hours, TimeUnit.HOURS);
    List<Thread> workers = sleepingWorkers(pool, 4);
    pool.resize(3);
    Await.until("one has ended", () -> workers.stream().filter(Thread::isAlive).count() <= 3);
    Await.until("three sleep again", () -> sleeping(workers) == 3);
    assertThat(pool.getPoolSize()).isEqualTo(3);
    pool.close();
  }

  @Test
  void anyKeepAliveTimeMayBeSet() {
    try (AdaptiveExecutor pool = frozen(1).build()) {
      for (TimeUnit unit : TimeUnit.values()) {
        pool.setKeepAliveTime(1, unit);
        assertThat(pool.getKeepAliveTime(TimeUnit.NANOSECONDS)).isEqualTo(unit.toNanos(1));
        pool.setKeepAliveTime(Long.MAX_VALUE, unit);
        assertThat(pool.getKeepAliveTime(TimeUnit.NANOSECONDS)).isEqualTo(Long.MAX_VALUE);
      }
    }
  }
}
