package io.poolkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Failures that come back with every window. */
final class FailureLogTest {

  private static final int WINDOWS = 20;

  /** Timer of one loop, which the test calls. */
  private static final class ManualTimer implements LoopTimer {
    private Runnable tick = () -> {};

    @Override
    public Stop start(String name, Duration interval, Runnable call) {
      tick = call;
      return () -> {};
    }
  }

  private static final Sensor BROKEN =
      now -> {
        throw new IllegalStateException("the sensor of the test throws");
      };

  /** Lines of the log after windows of a pool. */
  private static int lines(String name, Sensor sensor) {
    ManualTimer timer = new ManualTimer();
    Resizable pool = Resizable.of(name, new Bounds(1, 9), () -> 4, asked -> {});
    try (CountingLog log = new CountingLog(name);
        ControlLoop loop =
            ControlLoop.tune(pool, sensor)
                .controller(Controllers.responseCurve())
                .ticker(() -> 0)
                .timer(timer)
                .jmx(false)
                .start()) {
      for (int i = 0; i < WINDOWS; i++) {
        timer.tick.run();
      }
      assertThat(loop.lastStep()).isEmpty();
      return log.lines();
    }
  }

  @Test
  void aSensorThatAlwaysThrowsIsLoggedOnce() {
    assertThat(lines("no sensor", BROKEN)).isEqualTo(1);
  }

  @Test
  void tasksThatWaitForThreadsThatTheFactoryDoesNotMakeAreToldOnce() throws Exception {
    ManualTimer timer = new ManualTimer();
    AtomicBoolean broken = new AtomicBoolean(true);
    try (CountingLog log = new CountingLog("no threads");
        AdaptiveExecutor pool =
            AdaptiveExecutor.builder("no threads")
                .bounds(1, 9)
                .initialSize(4)
                .threadFactory(body -> broken.get() ? null : new Thread(body))
                .timer(timer)
                .mode(Mode.FROZEN)
                .quiet()
                .jmx(false)
                .build()) {
      Future<Integer> answer = pool.submit(() -> 42);
      for (int i = 0; i < WINDOWS; i++) {
        timer.tick.run();
      }
      int lines = log.lines();
      Throwable refusal = catchThrowable(() -> pool.resize(9));
      int size = pool.size();
      broken.set(false); // Otherwise the end of the pool would wait for its task.
      assertThat(lines).isEqualTo(1);
      assertThat(refusal).hasMessage("the thread factory returned null");
      assertThat(size).as("no size without workers").isEqualTo(4);
      timer.tick.run();
      assertThat(answer.get(300, TimeUnit.SECONDS)).isEqualTo(42);
    }
  }

  @Test
  void afterARecoveryTheNextFailureIsLogged() {
    FailureLog failures = new FailureLog("recovers", 2);
    try (CountingLog log = new CountingLog("recovers")) {
      failures.failed("first", null);
      failures.succeeded();
      failures.failed("one success is too few", null);
      assertThat(log.lines()).isEqualTo(1);
      failures.succeeded();
      failures.succeeded();
      failures.succeeded();
      failures.failed("again", null);
      assertThat(log.lines()).isEqualTo(2);
    }
  }
}
