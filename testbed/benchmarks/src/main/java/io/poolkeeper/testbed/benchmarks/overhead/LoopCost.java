package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testkit.Course;
import io.poolkeeper.testkit.Shape;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what the loops of many pools cost the process. */
@Command(
    name = "loop-cost",
    description = {
      "CPU time of a decision, and of the threads of control loops, windows of 1 s, all",
      "defaults. Their log is formatted, as in a service, and thrown away."
    })
final class LoopCost extends Benchmark {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final double PERCENT_TARGET = 0.1;
  private static final double SETTLED_MICROS_TARGET = 40;
  private static final double ANEW_MICROS_TARGET = 1000;
  private static final int WORKERS = 4;
  private static final int USERS = 200;
  private static final long TASK_NANOS = 1_000_000;

  @Option(names = "--pools", defaultValue = "100", description = "pools (default 100)")
  private int pools;

  @Option(names = "--quick", description = "shorter, for a first impression")
  private boolean quick;

  public static void main(String[] arguments) {
    logToNowhere();
    start(new LoopCost(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--pools", pools, 1, 1000);
  }

  @Override
  protected int measure() throws InterruptedException {
    decisions();
    System.out.printf(
        "%nCPU time of %d control loops, windows of 1 s, %% of a core; pools of up to %d workers%n",
        pools, WORKERS);
    measure("no traffic", 0, 0);
    measure(pools / 10 + " pools with 1000 tasks/s each", pools / 10, 1000);
    measure("every pool with 100 tasks/s", pools, 100);
    return 0;
  }

  /** Of the default controller: decisions that stand, and those that are worked out anew. */
  private void decisions() {
    List<Double> standing = new ArrayList<>();
    List<Double> anew = new ArrayList<>();
    for (int i = 0; i < (quick ? 5 : 12); i++) {
      Timed controller = new Timed(Controllers.responseCurve());
      Course course = new Course(controller, 1 + i).run(600, USERS, Shape.DATABASE);
      controller.clear();
      course.run(240, USERS, Shape.DATABASE);
      standing.add(controller.standing.micros());
      course.run(120, USERS, Shape.WIDE).run(120, USERS, Shape.COLLAPSE);
      anew.add(controller.anew.micros());
    }
    System.out.printf("%nCPU time of a decision, us, in virtual time%n");
    print("settled: the one before stands", standing, SETTLED_MICROS_TARGET);
    print("worked out anew, experiments among them", anew, ANEW_MICROS_TARGET);
  }

  private static void print(String what, List<Double> micros, double target) {
    Spread spread = Spread.of(micros);
    System.out.printf("  %s: %s; %s%n", what, spread, spread.below(target));
  }

  /** Time spent in decisions. */
  private static final class Spent {
    private long nanos;
    private int count;

    void add(long more) {
      nanos += more;
      count++;
    }

    double micros() {
      return nanos / 1e3 / count;
    }
  }

  /** A controller, and the CPU time of its decisions since it was cleared. */
  private static final class Timed implements Controller {
    private final Controller controller;
    private Spent standing = new Spent();
    private Spent anew = new Spent();
    private @Nullable Decision last;

    Timed(Controller controller) {
      this.controller = controller;
    }

    void clear() {
      standing = new Spent();
      anew = new Spent();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The controller returns the same object while it rests.
    public Decision decide(Window window) {
      long before = THREADS.getCurrentThreadCpuTime();
      Decision decision = controller.decide(window);
      (decision == last ? standing : anew).add(THREADS.getCurrentThreadCpuTime() - before);
      last = decision;
      return decision;
    }
  }

  private void measure(String what, int active, int tasksPerSecond) throws InterruptedException {
    List<AdaptiveExecutor> all = new ArrayList<>();
    for (int i = 0; i < pools; i++) {
      all.add(AdaptiveExecutor.builder("loop-cost-" + i).bounds(1, WORKERS).build());
    }
    List<Double> percents = new ArrayList<>();
    Traffic traffic = new Traffic(all.subList(0, active), tasksPerSecond, TASK_NANOS);
    try {
      TimeUnit.SECONDS.sleep(quick ? 60 : 180); // Until the loops are compiled, as in a service.
      for (int i = 0; i < (quick ? 5 : 12); i++) {
        long cpu = ProcessorTimes.ofThreads("poolkeeper-");
        long began = System.nanoTime();
        TimeUnit.SECONDS.sleep(5);
        percents.add(
            100.0 * (ProcessorTimes.ofThreads("poolkeeper-") - cpu) / (System.nanoTime() - began));
      }
    } finally {
      traffic.close();
    }
    all.forEach(AdaptiveExecutor::close);
    Spread spread = Spread.of(percents);
    System.out.printf(
        Locale.ROOT,
        "  %s: median %.3f, %.3f to %.3f in %d spans of 5 s, %.1f us a window; %s%n",
        what,
        spread.median(),
        spread.least(),
        spread.most(),
        spread.count(),
        spread.median() * 1e4 / pools,
        spread.below(PERCENT_TARGET));
  }
}
