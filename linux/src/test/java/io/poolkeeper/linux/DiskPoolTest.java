package io.poolkeeper.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener;
import io.poolkeeper.DiskStats;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.testkit.Jdks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  private final List<Window> windows = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicInteger started = new AtomicInteger();
  private final List<Runnable> ticks = new CopyOnWriteArrayList<>();

  private AdaptiveExecutor pool() {
    assumeTrue(DiskSensor.unavailable().isEmpty(), "no counters of threads here");
    return AdaptiveExecutor.builder("files")
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
              Thread thread = new Thread(body);
              thread.setUncaughtExceptionHandler((failed, error) -> {});
              return thread;
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
  }

  @Test
  void allBytesOfThePoolAreInItsWindows(@TempDir Path folder) throws Exception {
    AdaptiveExecutor pool = pool();
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

  @Test
  void taskThatDiesOfAnErrorCostsNeitherItsWorkerNorItsBytes(@TempDir Path folder)
      throws Exception {
    try (AdaptiveExecutor pool = pool()) {
      CountDownLatch written = new CountDownLatch(FILES);
      for (int i = 0; i < FILES; i++) {
        Path file = folder.resolve("file-" + i);
        pool.execute(
            () -> {
              try {
                Files.write(file, new byte[BYTES]);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              } finally {
                written.countDown();
              }
              throw new OutOfMemoryError("the task dies");
            });
      }
      written.await();
      ticks.forEach(Runnable::run);
      assertThat(windows).hasSize(1);
      assertThat(windows.get(0).disk().problem()).isEmpty();
      assertThat(windows.get(0).disk().logicalBytes()).isGreaterThanOrEqualTo(FILES * BYTES);
      assertThat(started).as("no worker was replaced").hasValueLessThanOrEqualTo(8);
      assertThat(pool.submit(() -> 7).get()).isEqualTo(7);
    }
  }

  /** Makes a pool on a machine without {@code /proc}, and prints why there is none. */
  public static final class WithoutProc {
    private WithoutProc() {}

    public static void main(String[] arguments) {
      System.out.println(DiskSensor.unavailable().orElse("available"));
      try {
        AdaptiveExecutor.builder("files").sensor(DiskSensor::new).build().close();
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void machineWithoutProcRefusesThePoolInOneLine() throws Exception {
    Path java = Path.of(System.getProperty("java.home"));
    ProcessBuilder builder =
        new ProcessBuilder(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs none /proc && exec \"$@\"",
                "sh",
                java.resolve("bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WithoutProc.class.getName())
            .redirectErrorStream(true);
    // The launcher of Java looks into /proc for its libraries.
    builder.environment().put("LD_LIBRARY_PATH", java.resolve("lib").toString());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assumeTrue(
        process.waitFor() == 0 || !output.matches("(unshare|mount): .*\\R"),
        "this user may not hide /proc");
    assertThat(output.lines())
        .containsExactly("/proc is not mounted", "no disk sensor: /proc is not mounted");
  }

  /** Lets a virtual thread, and a platform thread that it starts, be workers. */
  public static final class VirtualWorkers {
    private VirtualWorkers() {}

    public static void main(String[] arguments) throws Exception {
      Window window = Window.builder(0, 1, 1).build();
      DiskSensor ofPlatform = new DiskSensor();
      run(() -> new Thread(ofPlatform.watch(() -> {})).start());
      System.out.println(ofPlatform.complete(window).disk().measured());
      DiskSensor ofVirtual = new DiskSensor();
      run(ofVirtual.watch(() -> {}));
      System.out.println(ofVirtual.complete(window).disk().problem().orElse(""));
    }

    private static void run(Runnable body) throws Exception {
      Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
      ((Thread) start.invoke(null, body)).join();
    }
  }

  @Test
  void virtualThreadsAreRefusedAndThoseTheyStartAreNot() throws Exception {
    assumeTrue(DiskSensor.unavailable().isEmpty(), "no counters of threads here");
    Optional<Path> java = Jdks.withVirtualThreads();
    assumeTrue(java.isPresent(), "no JDK 21 or later below /usr/lib/jvm");
    Process process =
        new ProcessBuilder(
                java.get().toString(),
                "-cp",
                System.getProperty("java.class.path"),
                VirtualWorkers.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(output)
        .startsWith("true\ndisk throughput refused: workers are virtual threads, and the kernel");
  }
}
