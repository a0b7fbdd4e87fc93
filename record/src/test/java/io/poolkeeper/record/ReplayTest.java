package io.poolkeeper.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.record.WindowReader.PoolWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A record holds all that a replay needs to make the same decisions, to the last bit. */
final class ReplayTest {

  private static final Bounds BOUNDS = new Bounds(1, 40);

  /** A pool that takes every size at once. */
  private static final class Pool implements Resizable {
    private int size = 1;

    @Override
    public String name() {
      return "orders";
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public Bounds bounds() {
      return BOUNDS;
    }

    @Override
    public void resize(int size) {
      this.size = size;
    }
  }

  /** Measured times with fractions that no few decimals hold, and some idle windows. */
  private static Window measured(Random random, int number, int size) {
    if (number % 17 == 16) {
      return window(number, size, random.nextDouble(), 0, TimeStats.EMPTY);
    }
    long tasks = 300L + random.nextInt(700);
    double mean = 1e9 * random.nextDouble() / (1 + size % 13);
    long p50 = (long) mean;
    // Only a sample of the tasks was timed.
    TimeStats times =
        new TimeStats(tasks / 3, mean, p50, p50 * 2, p50 * 3, p50 * 4, p50 * 5, p50 * 6);
    return window(number, size, size * random.nextDouble(), tasks, times);
  }

  private static Window window(long number, int size, double busy, long tasks, TimeStats times) {
    long start = number * 1_000_000_007L;
    return Window.builder(start, start + 1_000_000_007L, size)
        .busy(busy)
        .queue(busy / 7, 3)
        .completions(tasks)
        .times(times, times, times)
        .cpu(1, 2)
        .gc(3)
        .build();
  }

  /** Lets a controller decide on windows in virtual time, while {@code listener} listens. */
  private static void run(
      Controller controller, Pool pool, Iterator<Window> windows, ControlListener listener) {
    List<Runnable> turn = new ArrayList<>();
    try (ControlLoop loop =
        ControlLoop.tune(pool, now -> windows.next())
            .controller(controller)
            .jmx(false)
            .listener(listener)
            .ticker(() -> 0) // In real time a collection of this process may shrink the pool.
            .timer(
                (name, interval, tick) -> {
                  turn.add(tick);
                  return () -> {};
                })
            .start()) {
      assertThat(loop.controller()).isEqualTo(controller.name());
      for (int i = 0; i < 200; i++) {
        turn.get(0).run();
      }
    }
  }

  @Test
  void aRecordedRunIsReplayedToTheLastBit(@TempDir Path folder) throws IOException {
    for (Objective objective :
        List.of(
            Objective.throughput(),
            Objective.meanResponseTime(),
            Objective.percentile(0.99),
            Objective.goodput(Duration.ofMillis(5)))) {
      Pool pool = new Pool();
      Random random = new Random(42);
      int[] number = {0};
      try (RunRecorder recorder = new RunRecorder(folder)) {
        run(
            Controllers.forObjective(objective),
            pool,
            Stream.generate(() -> measured(random, number[0]++, pool.size())).iterator(),
            recorder);
      }

      List<PoolDecision> decided = new ArrayList<>();
      run(
          Controllers.forObjective(objective),
          new Pool(),
          WindowReader.read(folder).stream().map(PoolWindow::window).iterator(),
          new ControlListener() {
            @Override
            public void onStep(Resizable replayed, Step step) {
              decided.add(PoolDecision.of(replayed, step));
            }
          });
      assertThat(decided).hasSize(200).isEqualTo(DecisionReader.read(folder));
    }
  }

  @Test
  void whatWasMeasuredIsReadToTheLastBit(@TempDir Path folder) throws IOException {
    Random random = new Random(7);
    List<PoolWindow> windows = new ArrayList<>();
    try (RunRecorder recorder = new RunRecorder(folder)) {
      for (int i = 0; i < 100; i++) {
        Window window = measured(random, i, 1 + i);
        windows.add(new PoolWindow("orders", window));
        recorder.onWindow(new Pool(), window);
      }
    }
    assertThat(WindowReader.read(folder)).isEqualTo(windows);
  }
}
