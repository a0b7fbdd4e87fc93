package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener;
import io.poolkeeper.DiskStats;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A pool with the sensor on real files. */
@EnabledOnOs(OS.LINUX)
final class DiskPoolTest {

  private static final int FILES = 40;
  private static final int BYTES = 100_000;

  @Test
  void allBytesOfThePoolAreInItsWindows(@TempDir Path folder) throws Exception {
    assumeTrue(DiskSensor.unavailable().isEmpty(), "no counters of threads here");
    List<Window> windows = new CopyOnWriteArrayList<>();
    CountDownLatch closed = new CountDownLatch(1);
    AtomicInteger started = new AtomicInteger();
    List<Runnable> ticks = new CopyOnWriteArrayList<>();
    AdaptiveExecutor pool =
        AdaptiveExecutor.builder("files")
            .jmx(false)
            .bounds(1, 8)
            .initialSize(4)
            .timer(
                (name, interval, loop) -> {
                  ticks.add(loop);
                  return () -> {};
                })
            .sensor(DiskSensor::new)
            .threadFactory(
                body -> {
                  started.incrementAndGet();
                  return new Thread(body);
                })
            .listener(
                new ControlListener() {
                  @Override
                  public void onWindow(Resizable resized, Window window) {
                    windows.add(window);
                  }

                  @Override
                  public void onClose(Resizable ended) {
                    closed.countDown();
                  }
                })
            .build();
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      Path file = folder.resolve("file-" + i);
      tasks.add(
          () -> {
            Files.write(file, new byte[BYTES]);
            return Files.readAllBytes(file).length;
          });
    }
    for (int half = 0; half < 2; half++) {
      for (var future : pool.invokeAll(tasks.subList(half * FILES / 2, (half + 1) * FILES / 2))) {
        assertThat(future.get()).isEqualTo(BYTES);
      }
      ticks.forEach(Runnable::run);
    }
    assertThat(windows).hasSize(2);
    pool.close();
    // A busy machine delivers the last window later than close() waits for it.
    assertThat(closed.await(300, TimeUnit.SECONDS)).isTrue();
    long bytes = 0;
    for (Window window : windows) {
      assertThat(window.disk().problem()).isEmpty();
      bytes += window.disk().logicalBytes();
    }
    assertThat(bytes).isBetween(2L * FILES * BYTES, 4L * FILES * BYTES);
    // The last worker ends the pool, and leaves after the last window, as those beside it may.
    assertThat(windows.stream().map(Window::disk).mapToInt(DiskStats::changes).sum())
        .as("each worker came and most left, once")
        .isBetween(started.get(), 2 * started.get());
    assertThat(pool.control().controller()).isEqualTo("response-curve");
  }
}
