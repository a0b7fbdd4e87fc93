package io.poolkeeper.testbed.benchmarks.integrations;

import io.poolkeeper.testbed.applications.mariadb.Database;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.MedianInterval;
import io.poolkeeper.testbed.benchmarks.figures.Turns;
import io.poolkeeper.testbed.commands.Ranges;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Time from a resize until it has taken effect, under a backlog. */
@Command(
    name = "resize-times",
    description = {
      "Time from a resize between 4 and 20 until so many tasks run, or connections are in use,",
      "while others wait: through the adapters, and through the hosts' own setters, in turns. A",
      "task or query takes 20 ms, and shrinking waits for it. A resize without effect after 2 s",
      "counts as such."
    })
final class ResizeTimes extends Benchmark {

  private static final int SMALL = 4;
  private static final int LARGE = 20;
  private static final int WAITING = 40;
  private static final long STEADY_NANOS = 100_000_000;
  private static final long LOOK_NANOS = 100_000;
  private static final long PATIENCE_NANOS = 2_000_000_000L;
  private static final long START_NANOS = 30_000_000_000L;
  private static final int WARM_UPS = 2;
  private static final double THREADS_TARGET_MILLIS = 100;
  private static final double CONNECTIONS_TARGET_MILLIS = 1000;

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Resizes of each in each direction; 6 or more to tell anything. Default: ${DEFAULT-VALUE}")
  private int times;

  /**
   * Times of a turn.
   *
   * @param up milliseconds until the larger size was in use; infinite if it was not
   * @param down the same of the smaller size
   */
  private record Millis(double up, double down) {}

  public static void main(String[] arguments) {
    logToNowhere();
    start(new ResizeTimes(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--times", times, 1, 1000);
  }

  @Override
  protected int measure() throws Exception {
    compare(
        "Tomcat's threads",
        () -> LoadedThreads.adaptive(SMALL, LARGE, WAITING),
        () -> LoadedThreads.plain(SMALL, WAITING),
        THREADS_TARGET_MILLIS);
    try (Database database = Database.start()) {
      compare(
          "Hikari's connections",
          () -> LoadedConnections.adaptive(database, SMALL, LARGE, WAITING),
          () -> LoadedConnections.plain(database, SMALL, WAITING),
          CONNECTIONS_TARGET_MILLIS);
    }
    return 0;
  }

  private void compare(
      String name, Callable<LoadedHost> adapter, Callable<LoadedHost> setters, double target)
      throws Exception {
    Map<Callable<LoadedHost>, List<Millis>> found =
        Turns.take(name, List.of(adapter, setters), WARM_UPS, times, ResizeTimes::resize);
    List<Millis> ours = Objects.requireNonNull(found.get(adapter));
    List<Millis> theirs = Objects.requireNonNull(found.get(setters));
    System.out.println("\n" + name + ", ms");
    print("4 to 20", Millis::up, ours, theirs, target);
    print("20 to 4", Millis::down, ours, theirs, target);
  }

  private static void print(
      String what,
      ToDoubleFunction<Millis> direction,
      List<Millis> adapter,
      List<Millis> setters,
      double target) {
    List<Double> ours = adapter.stream().map(direction::applyAsDouble).toList();
    List<Double> theirs = setters.stream().map(direction::applyAsDouble).toList();
    System.out.printf(
        "  %s, adapter: %s%n",
        what, all(ours) ? MedianInterval.below(ours, target) : without(ours) + ": missed");
    System.out.printf(
        "  %s, host's setters: %s%n",
        what, all(theirs) ? MedianInterval.text(theirs) : without(theirs));
    if (all(ours) && all(theirs)) {
      System.out.printf(
          "  %s, ratio of adapter to setters: %s%n",
          what, MedianInterval.text(Turns.ratios(ours, theirs)));
    }
  }

  private static boolean all(List<Double> millis) {
    return millis.stream().allMatch(Double::isFinite);
  }

  private static String without(List<Double> millis) {
    return "%d of %d had no effect within 2 s"
        .formatted(millis.stream().filter(each -> each.isInfinite()).count(), millis.size());
  }

  /** On a fresh pool, since a host may not shrink at all. */
  private static Millis resize(Callable<LoadedHost> start) throws Exception {
    try (LoadedHost host = start.call()) {
      if (!await(() -> host.inUse() == SMALL, START_NANOS)) {
        throw new IllegalStateException("a pool of 4 does not do 4 tasks at once within 30 s");
      }
      double up = grow(host);
      return new Millis(up, Double.isFinite(up) ? shrink(host) : up);
    }
  }

  private static double grow(LoadedHost host) {
    long begin = System.nanoTime();
    host.resize(LARGE);
    boolean effect = await(() -> host.inUse() >= LARGE, PATIENCE_NANOS);
    return effect ? (System.nanoTime() - begin) / 1e6 : Double.POSITIVE_INFINITY;
  }

  /** Until the last moment with too many: tasks that end together are few for a moment. */
  private static double shrink(LoadedHost host) {
    long begin = System.nanoTime();
    host.resize(SMALL);
    AtomicLong last = new AtomicLong(begin);
    boolean effect =
        await(
            () -> {
              long now = System.nanoTime();
              if (host.inUse() > SMALL) {
                last.set(now);
              }
              return now - last.get() > STEADY_NANOS;
            },
            PATIENCE_NANOS);
    return effect ? (last.get() - begin) / 1e6 : Double.POSITIVE_INFINITY;
  }

  private static boolean await(BooleanSupplier condition, long nanos) {
    long end = System.nanoTime() + nanos;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }
}
