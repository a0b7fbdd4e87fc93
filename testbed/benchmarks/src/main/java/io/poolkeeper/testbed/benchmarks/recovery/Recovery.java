package io.poolkeeper.testbed.benchmarks.recovery;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Turns;
import io.poolkeeper.testbed.commands.Ranges;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Throughput of an adaptive pool before, in and after faults. */
@Command(
    name = "recovery",
    description = {
      "Throughput of an adaptive pool with 100 users before, in and after faults of 10 s: a",
      "downstream server that refuses, hangs, resets or drips; tasks that run out of memory; a",
      "database that stands still; another pool that takes the processors. All work is real. Ten",
      "seconds after a fault the pool is to be back at work: at 90 %% of its throughput before."
    })
final class Recovery extends Benchmark {

  private static final int USERS = 100;
  private static final int FAULT_SECONDS = 10;
  private static final int AFTER_SECONDS = 20;
  private static final int BEFORE_SECONDS = 10;
  private static final double BACK = 0.9;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Times that each fault happens, in turns. Default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "Time before the fault. Default: ${DEFAULT-VALUE}")
  private int settle;

  /**
   * Course of a fault.
   *
   * @param before tasks a second in the ten seconds before it
   * @param within the same in it, as a share of that
   * @param late the same from ten to twenty seconds after it
   * @param seconds after it until a second reached 90 %; infinite if none did
   */
  private record Course(double before, double within, double late, double seconds) {}

  public static void main(String[] arguments) {
    logToNowhere();
    start(new Recovery(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--rounds", rounds, 1, 1000);
    Ranges.require("--settle", settle, BEFORE_SECONDS, 3600);
  }

  @Override
  protected int measure() throws Exception {
    Map<String, Callable<FaultyWork>> faults = new LinkedHashMap<>();
    for (String fault : List.of("refuse", "hang", "reset", "drip")) {
      faults.put("downstream: " + fault, () -> FaultyWork.downstream(fault));
    }
    faults.put("tasks out of memory", FaultyWork::outOfMemory);
    faults.put("database stands still", FaultyWork::database);
    faults.put("another pool computes", FaultyWork::neighbour);
    Map<String, List<Course>> courses =
        Turns.take(
            "recovery",
            List.copyOf(faults.keySet()),
            0,
            rounds,
            name -> course(Objects.requireNonNull(faults.get(name)).call()));
    System.out.printf(
        "%n%-24s %9s %9s %16s %14s%n",
        "fault", "before/s", "in it", "10 to 20 s after", "90 % after, s");
    boolean back = true;
    for (Map.Entry<String, List<Course>> each : courses.entrySet()) {
      for (Course course : each.getValue()) {
        System.out.printf(
            "%-24s %9.0f %8.0f%% %15.0f%% %14s%n",
            each.getKey(),
            course.before,
            100 * course.within,
            100 * course.late,
            Double.isFinite(course.seconds) ? "%.0f".formatted(course.seconds) : "never");
        back &= course.late >= BACK;
      }
    }
    System.out.printf("%nback at 90 %% ten seconds after: %s%n", back ? "reached" : "missed");
    return 0;
  }

  private Course course(FaultyWork work) throws Exception {
    AdaptiveExecutor pool = AdaptiveExecutor.builder("service").build();
    try (Users users =
        new Users(
            pool,
            USERS,
            () -> {
              work.work();
              return null;
            })) {
      users.start();
      List<Double> before = seconds(users, settle);
      work.begin();
      List<Double> within = seconds(users, FAULT_SECONDS);
      work.end();
      List<Double> after = seconds(users, AFTER_SECONDS);
      double usual = mean(before.subList(settle - BEFORE_SECONDS, settle));
      double reached = Double.POSITIVE_INFINITY;
      for (int second = after.size() - 1; second >= 0; second--) {
        reached = after.get(second) >= BACK * usual ? second + 1 : reached;
      }
      double late = mean(after.subList(AFTER_SECONDS / 2, AFTER_SECONDS));
      return new Course(usual, mean(within) / usual, late / usual, reached);
    } finally {
      work.stop();
    }
  }

  /** Returns the tasks that were served in each of the coming seconds. */
  private static List<Double> seconds(Users users, int count) throws InterruptedException {
    List<Double> rates = new ArrayList<>();
    long begin = System.nanoTime();
    long served = users.served();
    for (int i = 0; i < count; i++) {
      Thread.sleep(1000);
      long now = System.nanoTime();
      long sum = users.served();
      rates.add((sum - served) * 1e9 / (now - begin));
      begin = now;
      served = sum;
    }
    return rates;
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
