package io.poolkeeper.testbed.benchmarks.integrations;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.hikari.HikariConnections;
import io.poolkeeper.testbed.applications.mariadb.Database;
import io.poolkeeper.testbed.benchmarks.figures.Machine;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.tomcat.TomcatExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Time from a resize until it has taken effect, under a backlog. */
@Command(
    name = "resize-times",
    mixinStandardHelpOptions = true,
    description = {
      "Time from a resize between 4 and 20 until so many tasks run, or connections are in use,",
      "while others wait. A task or query takes 20 ms, and shrinking waits for it."
    })
final class ResizeTimes implements Callable<Integer> {

  private static final int SMALL = 4;
  private static final int LARGE = 20;
  private static final int WAITING = 40;
  private static final long TASK_MILLIS = 20;
  private static final long STEADY_NANOS = 100_000_000;
  private static final long LOOK_NANOS = 100_000;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final double THREADS_TARGET_MILLIS = 100;
  private static final double CONNECTIONS_TARGET_MILLIS = 1000;

  @Option(
      names = "--times",
      defaultValue = "50",
      description = "Resizes in each direction. Default: ${DEFAULT-VALUE}")
  private int times = 50;

  public static void main(String[] arguments) {
    Machine.print("resize-times", arguments);
    System.exit(new CommandLine(new ResizeTimes()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (times < 1) {
      System.err.printf("poolkeeper: times must be >= 1, but is %d%n", times);
      return 2;
    }
    threads();
    connections();
    return 0;
  }

  private void threads() throws Exception {
    TomcatExecutor executor =
        new TomcatExecutor(
            pool -> pool.bounds(1, LARGE).initialSize(SMALL).mode(Mode.FROZEN).jmx(false));
    executor.start();
    AtomicInteger running = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    for (int i = 0; i < WAITING; i++) {
      executor.execute(() -> work(executor, running, ended));
    }
    measure("Tomcat's threads", executor.pool()::resize, running::get, THREADS_TARGET_MILLIS);
    ended.set(true);
    executor.stop();
  }

  /** Submits itself again at its end, so that as many tasks wait at any time. */
  private static void work(TomcatExecutor executor, AtomicInteger running, AtomicBoolean ended) {
    running.incrementAndGet();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TASK_MILLIS));
    running.decrementAndGet();
    if (!ended.get()) {
      executor.execute(() -> work(executor, running, ended));
    }
  }

  private void connections() throws Exception {
    try (Database database = Database.start();
        HikariDataSource source = new HikariDataSource()) {
      source.setJdbcUrl(database.jdbcUrl());
      source.setMaximumPoolSize(SMALL);
      HikariConnections connections =
          HikariConnections.install(
              source,
              new Bounds(1, LARGE),
              Objective.throughput(),
              loop -> loop.mode(Mode.FROZEN).jmx(false));
      try (Callers callers = new Callers(source, "DO SLEEP(0.02)", WAITING)) {
        measure(
            "Hikari's connections", connections::resize, callers::held, CONNECTIONS_TARGET_MILLIS);
      }
    }
  }

  private void measure(String name, IntConsumer resize, Count inUse, double target) {
    await(() -> inUse.now() == SMALL);
    List<Double> up = new ArrayList<>();
    List<Double> down = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      up.add(grow(resize, inUse));
      down.add(shrink(resize, inUse));
    }
    print(name + ", 4 to 20", Spread.of(up), target);
    print(name + ", 20 to 4", Spread.of(down), target);
  }

  private static void print(String name, Spread millis, double target) {
    System.out.printf("%s: %s ms; %s%n", name, millis, millis.below(target));
  }

  private static double grow(IntConsumer resize, Count inUse) {
    long begin = System.nanoTime();
    resize.accept(LARGE);
    await(() -> inUse.now() >= LARGE);
    return (System.nanoTime() - begin) / 1e6;
  }

  /** Until the last moment with too many: tasks that end together are few for a moment. */
  private static double shrink(IntConsumer resize, Count inUse) {
    long begin = System.nanoTime();
    resize.accept(SMALL);
    AtomicLong last = new AtomicLong(begin);
    await(
        () -> {
          long now = System.nanoTime();
          if (inUse.now() > SMALL) {
            last.set(now);
          }
          return now - last.get() > STEADY_NANOS;
        });
    return (last.get() - begin) / 1e6;
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("a resize had no effect within 30 s");
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** A number that changes. */
  @FunctionalInterface
  private interface Count {
    int now();
  }
}
