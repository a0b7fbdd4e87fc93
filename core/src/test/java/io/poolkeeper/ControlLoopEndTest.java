package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The end of pools and loops waits for no listener and no controller. What blocks here does so
 * until the test is over, so a wait for it fails the test by its timeout.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ControlLoopEndTest {

  private final HandTimer timer = new HandTimer();
  private final Recorder recorder = new Recorder();
  private final CountDownLatch blocks = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void release() {
    release.countDown();
  }

  private void block() {
    blocks.countDown();
    awaitRelease();
  }

  private void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Blocks in its first window, or at its end. */
  private final class Blocking extends Recorder {
    private final String event;
    private boolean blocked;

    Blocking(String event) {
      this.event = event;
    }

    @Override
    void heard(String heard) {
      if (heard.equals(event) && !blocked) {
        blocked = true;
        block();
      }
      super.heard(heard);
    }
  }

  private AdaptiveExecutor.Builder executor() {
    return AdaptiveExecutor.builder("ending").jmx(false).timer(timer).mode(Mode.FROZEN);
  }

  private Thread tickApart() {
    Thread ticking = new Thread(timer::tick);
    ticking.setDaemon(true);
    ticking.start();
    Await.latch(blocks);
    return ticking;
  }

  private static void awaitEvents(Recorder recorder, String... events) {
    Await.until("all is heard", () -> recorder.events.size() >= events.length);
    assertThat(recorder.events).containsExactly(events);
  }

  @Test
  void aListenerThatBlocksHoldsUpNeitherThePoolNorOtherListeners() throws Exception {
    Blocking blocking = new Blocking("window");
    AdaptiveExecutor pool = executor().listener(blocking).listener(recorder).build();
    pool.submit(() -> {}).get();
    tickApart();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    pool.close();
    awaitEvents(recorder, "window", "window", "close");
    assertThat(blocking.events).isEmpty();
    release.countDown();
    awaitEvents(blocking, "window", "window", "close");
    assertThat(blocking.windows).isEqualTo(recorder.windows);
  }

  @Test
  void aListenerThatBlocksAtTheEndHoldsUpNoOther() {
    AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("ending")
            .jmx(false)
            .timer(timer)
            .listener(new Blocking("close"))
            .listener(recorder)
            .build();
    limiter.close();
    awaitEvents(recorder, "window", "close");
  }

  @Test
  void aListenerAndAStopperMayShareALock() {
    Object lock = new Object();
    AdaptiveExecutor pool =
        executor()
            .listener(
                new ControlListener() {
                  @Override
                  public void onWindow(Resizable resizable, Window window) {
                    blocks.countDown();
                    synchronized (lock) {
                      recorder.onWindow(resizable, window);
                    }
                  }
                })
            .build();
    synchronized (lock) {
      tickApart();
      pool.close();
      assertThat(recorder.events).isEmpty();
    }
    awaitEvents(recorder, "window", "window");
  }

  @Test
  void aControllerThatBlocksHoldsUpNothingAndItsDecisionComesTooLate() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("ending")
            .jmx(false)
            .timer(timer)
            .bounds(1, 20)
            .initialSize(10)
            .controller(
                window -> {
                  asked.incrementAndGet();
                  block();
                  return Decision.resize(20, "too late");
                })
            .listener(recorder)
            .build();
    Thread ticking = tickApart();
    timer.tick(); // Has no turn while the one before hangs.
    limiter.close();
    awaitEvents(recorder, "window", "window", "close");
    release.countDown();
    ticking.join();
    timer.tick();
    assertThat(recorder.events).containsExactly("window", "window", "close");
    assertThat(limiter.size()).isEqualTo(10);
    assertThat(asked).hasValue(1);
  }

  @Test
  void aSensorThatBlocksCostsTheLastWindowAlone() {
    PlainPool pool = new PlainPool(1, 4, 9, System.nanoTime());
    ControlLoop loop =
        ControlLoop.tune(
                pool,
                now -> {
                  block();
                  return pool.closeWindow(now);
                })
            .controller(Controllers.fixed(4))
            .jmx(false)
            .timer(timer)
            .listener(recorder)
            .start();
    tickApart();
    loop.close();
    awaitEvents(recorder, "close");
  }

  @Test
  void aTickAfterTheEndDoesNothing() {
    AtomicInteger asked = new AtomicInteger();
    PlainPool pool = new PlainPool(1, 4, 9, System.nanoTime());
    ControlLoop loop =
        ControlLoop.tune(pool)
            .controller(
                window -> {
                  asked.incrementAndGet();
                  return Decision.resize(9, "more");
                })
            .jmx(false)
            .timer(timer)
            .listener(recorder)
            .start();
    loop.close();
    awaitEvents(recorder, "window", "close");
    timer.tick();
    loop.filling(1, 0);
    assertThat(recorder.events).containsExactly("window", "close");
    assertThat(asked).hasValue(0);
    assertThat(pool.size).isEqualTo(4);
  }

  @Test
  void listenersRunOnNoWorkerAndSeeNoInterrupt() throws Exception {
    AdaptiveExecutor pool = executor().listener(recorder).build();
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          awaitInterrupt();
        });
    Await.latch(begun);
    List<Thread> workers = pool.workers();
    pool.shutdownNow(); // The worker ends last, with its interrupt flag set.
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    awaitEvents(recorder, "window", "close");
    assertThat(recorder.threads).doesNotContainAnyElementsOf(workers);
    assertThat(recorder.interrupted()).isFalse();
  }

  private static void awaitInterrupt() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whoClosesWithTheInterruptFlagSetKeepsIt() {
    AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("ending").jmx(false).timer(timer).listener(recorder).build();
    Thread.currentThread().interrupt();
    timer.tick();
    limiter.close();
    assertThat(Thread.interrupted()).isTrue();
    Await.until("the end is heard", () -> recorder.events.contains("close"));
    assertThat(recorder.interrupted()).isFalse();
  }

  @Test
  void theNameInJmxIsFreeOnceThePoolIsClosed() throws Exception {
    ObjectName name = new ObjectName("io.poolkeeper:type=Pool,name=\"freed\"");
    AdaptiveExecutor pool = AdaptiveExecutor.builder("freed").build();
    assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name)).isTrue();
    pool.close();
    Await.until(
        "the name is free", () -> !ManagementFactory.getPlatformMBeanServer().isRegistered(name));
  }

  @Test
  void aLoopThatHangsHoldsUpNoOther() {
    Recorder other = new Recorder();
    AdaptiveLimiter hanging =
        AdaptiveLimiter.builder("hanging")
            .jmx(false)
            .window(Duration.ofMillis(5))
            .controller(
                window -> {
                  block();
                  return Decision.keep(window, "at last");
                })
            .build();
    AdaptiveLimiter healthy =
        AdaptiveLimiter.builder("healthy")
            .jmx(false)
            .window(Duration.ofMillis(5))
            .listener(other)
            .build();
    Await.latch(blocks);
    int before = other.windows.size();
    Await.until("the other loop goes on", () -> other.windows.size() > before + 3);
    hanging.close();
    healthy.close();
    Await.until("its end is heard", () -> other.events.contains("close"));
  }
}
