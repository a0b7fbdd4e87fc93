package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Neither an exhausted heap nor threads that cannot be made cost a pool a worker or a task. */
@Timeout(300)
final class ExecutorStarvedTest {

  private static AdaptiveExecutor.Builder builder() {
    return AdaptiveExecutor.builder("starved")
        .bounds(1, 8)
        .initialSize(4)
        .mode(Mode.FROZEN)
        .window(Duration.ofDays(1))
        .jmx(false);
  }

  /** In a virtual machine of its own, whose heap its tasks fill from the first one on. */
  @Test
  void anExhaustedHeapCostsNoWorker() throws Exception {
    assertThat(inVirtualMachine("-Xmx24m", "-XX:+UseSerialGC")).endsWith("4 workers, all tasks\n");
  }

  private static String inVirtualMachine(String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), Exhausted.class.getName()));
    Path output = Files.createTempFile("starved", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(300, TimeUnit.SECONDS);
      String text = Files.readString(output);
      assertThat(ended).as("it ends, after: " + text).isTrue();
      assertThat(process.exitValue()).as(text).isZero();
      return text;
    } finally {
      Files.delete(output);
      process.destroyForcibly();
    }
  }

  /** The program of that virtual machine. */
  static final class Exhausted {

    private static final int ROUNDS = 30;
    private static final int TASKS = 200;

    private static volatile @Nullable List<byte[]> hoard;

    private Exhausted() {}

    /** Fills the heap with tasks that run, and looks whether all workers are there afterwards. */
    public static void main(String[] arguments) throws Exception {
      AtomicLong ran = new AtomicLong();
      AdaptiveExecutor pool =
          builder()
              .threadFactory(
                  body -> {
                    Thread thread = new Thread(body);
                    thread.setUncaughtExceptionHandler((in, thrown) -> {});
                    return thread;
                  })
              .build();
      long accepted = 0;
      for (int round = 0; round < ROUNDS; round++) {
        accepted += fill(pool, ran);
      }
      release();
      long expected = accepted;
      await(() -> ran.get() >= expected);
      CountDownLatch all = new CountDownLatch(4);
      for (int i = 0; i < 4; i++) {
        pool.execute(
            () -> {
              all.countDown();
              uninterruptibly(all);
            });
      }
      boolean complete = all.await(300, TimeUnit.SECONDS);
      Window window = pool.control().lastWindow().orElse(null);
      System.out.println(
          (complete ? pool.getPoolSize() : "not 4")
              + " workers, "
              + (ran.get() == expected ? "all tasks" : ran.get() + " of " + expected + window));
      System.exit(0); // A worker that was lost would be waited for.
    }

    /** Gives the memory back, for this thread too; tasks that fill it stop then. */
    private static void release() {
      List<byte[]> full = hoard;
      hoard = null;
      while (full != null) {
        try {
          synchronized (Exhausted.class) {
            full.clear();
          }
          Thread.sleep(1);
          byte[] room = new byte[1 << 20];
          full = room.length > 0 ? null : full;
        } catch (OutOfMemoryError | InterruptedException e) {
          Thread.onSpinWait();
        }
      }
    }

    private static long fill(AdaptiveExecutor pool, AtomicLong ran) {
      release();
      long accepted = 0;
      hoard = new ArrayList<>();
      for (int i = 0; i < TASKS; i++) {
        try {
          boolean fills = i < 8;
          pool.execute(fills ? () -> exhaust(ran) : () -> allocate(ran));
          accepted++;
        } catch (OutOfMemoryError e) { // Not taken, so it does not count.
          Thread.onSpinWait();
        }
      }
      return accepted;
    }

    private static void exhaust(AtomicLong ran) {
      ran.incrementAndGet();
      List<byte[]> all = hoard;
      for (int size = 1 << 20; size > 8 && all != null && all == hoard; ) {
        try {
          byte[] bytes = new byte[size];
          synchronized (Exhausted.class) {
            all.add(bytes);
          }
        } catch (OutOfMemoryError e) {
          size /= 2;
        }
      }
    }

    private static void allocate(AtomicLong ran) {
      ran.incrementAndGet();
      throw new IllegalStateException("needs memory for itself"); // Or an error instead.
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
      while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0) {
        Thread.sleep(1);
      }
    }

    private static void uninterruptibly(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void aTaskWaitsForAWorkerThatIsThereIfNoOtherCanBeMade() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    HandTimer timer = new HandTimer();
    AdaptiveExecutor pool =
        builder()
            .timer(timer)
            .threadFactory(
                body -> {
                  if (failing.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  return new Thread(body);
                })
            .build();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(release);
        });
    Await.latch(begun);
    failing.set(true);
    CountDownLatch ran = new CountDownLatch(10);
    for (int i = 0; i < 10; i++) {
      pool.execute(ran::countDown);
    }
    assertThat(pool.queued()).isEqualTo(10);
    assertThat(pool.getPoolSize()).isEqualTo(1);
    timer.tick();
    assertThat(pool.getPoolSize()).isEqualTo(1);
    failing.set(false);
    timer.tick(); // Nothing else starts a worker: no task comes any more.
    Await.latch(ran);
    release.countDown();
    pool.close();
  }

  @Test
  void withoutAnyWorkerTheCallerHearsThatThereIsNone() {
    AtomicBoolean failing = new AtomicBoolean(true);
    AdaptiveExecutor pool =
        builder()
            .threadFactory(
                body -> {
                  if (failing.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  return new Thread(body);
                })
            .build();
    assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(OutOfMemoryError.class);
    assertThat(pool.queued()).isZero();
    assertThat(pool.getPoolSize()).isZero();
    failing.set(false);
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    Await.latch(ran);
    pool.close();
  }

  /** Thread creation throws, answers null, or hands out a thread that has been started. */
  @Test
  void threadsThatCannotBeMadeCostNothingForGood() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    AtomicBoolean failing = new AtomicBoolean(true);
    AdaptiveExecutor pool =
        builder()
            .initialSize(8)
            .keepAlive(Duration.ofMillis(1)) // So that threads are made all the time.
            .threadFactory(body -> failing.get() ? unreliable(body, random) : new Thread(body))
            .build();
    AtomicInteger ran = new AtomicInteger();
    int accepted = 0;
    for (int i = 0; i < 3_000; i++) {
      try {
        pool.execute(ran::incrementAndGet);
        accepted++;
      } catch (OutOfMemoryError | IllegalThreadStateException e) {
        Thread.onSpinWait();
      }
      if (i % 100 == 0) {
        TimeUnit.MILLISECONDS.sleep(3);
      }
    }
    failing.set(false);
    CountDownLatch all = new CountDownLatch(8);
    for (int i = 0; i < 8; i++) {
      pool.execute(
          () -> {
            all.countDown();
            Await.latch(all);
          });
    }
    assertThat(all.await(300, TimeUnit.SECONDS)).as("eight at once").isTrue();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).hasValue(accepted);
  }

  @SuppressWarnings("NullAway") // What a factory may answer, as the JDK documents.
  private static synchronized Thread unreliable(Runnable body, SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> throw new OutOfMemoryError("unable to create native thread");
      case 1 -> null;
      case 2 -> {
        Thread started = new Thread(() -> {});
        started.start();
        yield started;
      }
      default -> new Thread(body);
    };
  }

  /** A task that finds no worker has arrived once, in the queue, and not with a worker as well. */
  @Test
  void aWorkerThatDoesNotStartBringsNoArrival() {
    AtomicBoolean failing = new AtomicBoolean();
    VirtualLoop time = new VirtualLoop();
    AdaptiveExecutor pool =
        builder()
            .ticker(time)
            .timer(time)
            .listener(time)
            .threadFactory(
                body ->
                    new Thread(body) {
                      @Override
                      public synchronized void start() {
                        if (failing.get()) {
                          throw new OutOfMemoryError("unable to create native thread");
                        }
                        super.start();
                      }
                    })
            .build();
    CountDownLatch release = new CountDownLatch(1);
    pool.execute(() -> Await.latch(release));
    failing.set(true);
    for (int i = 0; i < 10; i++) {
      pool.execute(() -> {});
    }
    assertThat(time.close().arrivals()).isEqualTo(11);
    assertThat(pool.getPoolSize()).isEqualTo(1);
    assertThat(pool.getLargestPoolSize()).isLessThanOrEqualTo(2);
    failing.set(false);
    release.countDown();
    Await.until("all have run", () -> pool.getCompletedTaskCount() == 11);
    assertThat(time.close().completions()).isEqualTo(11);
    pool.close();
  }
}
