package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts of windows that close under the users of a limit that grows and shrinks. */
@Timeout(300)
final class LimiterCountTest {

  private static final int USERS = 4;
  private static final int MAXIMUM = 40;
  private static final long SECONDS = 2;
  private static final int FEWEST_WINDOWS = 20;

  private final LongAdder asked = new LongAdder();
  private final LongAdder succeeded = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final AtomicBoolean running = new AtomicBoolean(true);

  private final HandTimer timer = new HandTimer();
  private final Sums sums = new Sums();

  private final AdaptiveLimiter limiter =
      AdaptiveLimiter.builder("limiter")
          .bounds(1, MAXIMUM)
          .initialSize(1)
          .objective(Objective.goodput(Duration.ofHours(1)))
          .mode(Mode.FROZEN)
          .jmx(false)
          .timer(timer)
          .listener(sums)
          .build();

  private static final class Sums implements ControlListener {
    private long arrivals;
    private long completions;
    private long withinBound;
    private long failures;
    private long rejections;
    private boolean negative;
    private volatile boolean closed;

    @Override
    public void onClose(Resizable pool) {
      closed = true;
    }

    @Override
    public void onWindow(Resizable pool, Window window) {
      arrivals += window.arrivals();
      completions += window.completions();
      withinBound += window.withinBound();
      failures += window.failures();
      rejections += window.rejections();
      negative |= window.arrivals() < 0 || window.completions() < 0 || window.withinBound() < 0;
    }
  }

  @Test
  void everyArrivalAndEveryOutcomeIsCountedOnceWhateverTheLimitDoes() throws Exception {
    ExecutorService users = Executors.newFixedThreadPool(USERS + 1);
    List<Future<?>> all = new ArrayList<>();
    for (int u = 0; u < USERS; u++) {
      SplittableRandom random = new SplittableRandom(u);
      all.add(users.submit(() -> use(random)));
    }
    SplittableRandom sizes = new SplittableRandom(99);
    all.add(
        users.submit(
            () -> {
              while (running.get()) {
                limiter.resize(1 + sizes.nextInt(MAXIMUM) / (1 + sizes.nextInt(MAXIMUM)));
              }
            }));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    for (int windows = 0; windows < FEWEST_WINDOWS || System.nanoTime() - end < 0; windows++) {
      timer.tick();
      assertThat(sums.arrivals).as("arrivals so far").isLessThanOrEqualTo(asked.sum());
    }
    running.set(false);
    limiter.resize(MAXIMUM); // Whoever waits yet.
    for (Future<?> each : all) {
      each.get(300, TimeUnit.SECONDS);
    }
    users.shutdown();
    limiter.close(); // Closes the last window.
    Await.until("the last window is heard", () -> sums.closed);
    assertThat(sums.negative).isFalse();
    assertThat(sums.arrivals).as("arrivals").isEqualTo(asked.sum());
    assertThat(sums.completions).as("completions").isEqualTo(succeeded.sum());
    assertThat(sums.withinBound).as("within the bound").isEqualTo(succeeded.sum());
    assertThat(sums.failures).as("failures").isEqualTo(dropped.sum());
    assertThat(sums.rejections).as("rejections").isEqualTo(refused.sum());
    assertThat(limiter.inUse()).isZero();
    assertThat(limiter.waiting()).isZero();
    assertThat(limiter.holders()).isEmpty();
  }

  private Object use(SplittableRandom random) throws Exception {
    while (running.get()) {
      asked.increment();
      switch (random.nextInt(6)) {
        case 0 -> end(Optional.of(limiter.acquire()), random);
        case 1 -> end(limiter.acquire(Duration.ofNanos(random.nextInt(50_000))), random);
        case 2 -> {
          CompletableFuture<Permit> future = limiter.acquireAsync(Runnable::run);
          if (!future.cancel(false)) {
            end(Optional.of(future.join()), random);
          }
        }
        case 3 -> {
          CompletableFuture<Permit> future = limiter.acquireAsync(Runnable::run);
          end(Optional.of(future.get()), random);
        }
        default -> end(limiter.tryAcquire(), random);
      }
    }
    return "done";
  }

  private void end(Optional<Permit> permit, SplittableRandom random) {
    if (permit.isEmpty()) {
      refused.increment();
      return;
    }
    switch (random.nextInt(3)) {
      case 0 -> {
        succeeded.increment();
        permit.get().success();
      }
      case 1 -> {
        dropped.increment();
        permit.get().dropped();
        permit.get().success();
      }
      default -> permit.get().close();
    }
  }
}
