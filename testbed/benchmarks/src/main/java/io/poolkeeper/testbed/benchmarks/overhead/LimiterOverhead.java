package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.benchmarks.overhead.Microbenchmark.Figures;
import io.poolkeeper.testbed.benchmarks.overhead.Microbenchmark.Subject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cost of a permit. */
@Command(
    name = "limiter-overhead",
    description = "A permit taken and given back, alone and against Netflix's limiter.")
final class LimiterOverhead extends Benchmark {

  private static final double NANOS_TARGET = 75;
  private static final double THROUGHPUT_TARGET = 2;

  /** Its turns are that many times as long as those of other duels, so there are fewer. */
  private static final int LONGER = 4;

  @Mixin private final Effort effort = new Effort();

  public static void main(String[] arguments) {
    start(new LimiterOverhead(), arguments);
  }

  @Override
  protected int measure() throws Exception {
    alone();
    System.out.println(
        "\nacquire + release a second; ratio of AdaptiveLimiter to Netflix's SimpleLimiter with"
            + " VegasLimit");
    for (int threads : new int[] {2, 8}) {
      Duel.Result result =
          Duel.inForks(
              LimiterDuel.class,
              effort.forks(),
              List.of(
                  Integer.toString(threads),
                  Integer.toString(effort.warmUps() / LONGER),
                  Integer.toString(effort.rounds() / LONGER)));
      System.out.printf(
          "  %d threads: %s to %s million/s; ratio %s; %s%n",
          threads,
          Spread.number(result.ours().median() / 1e6),
          Spread.number(result.theirs().median() / 1e6),
          result.ratio(),
          result.ratio().atLeast(THROUGHPUT_TARGET));
    }
    return 0;
  }

  private void alone() throws Exception {
    Subject clock = new Subject("LimiterBenchmark.nanoTime", Map.of());
    Subject ours = new Subject("LimiterBenchmark.poolkeeper", Map.of());
    Subject theirs = new Subject("LimiterBenchmark.netflix", Map.of());
    Map<Subject, Figures> figures =
        Microbenchmark.inTurns(List.of(clock, ours, theirs), effort.forks(), effort.iterations());
    Spread nanos = Objects.requireNonNull(figures.get(ours)).nanos();
    System.out.println("\nacquire + release by one thread, ns");
    System.out.printf(
        "  one reading of the clock: %s; each limiter needs two%n",
        Objects.requireNonNull(figures.get(clock)).nanos());
    System.out.printf("  AdaptiveLimiter: %s; %s%n", nanos, nanos.below(NANOS_TARGET));
    System.out.printf(
        "  Netflix's SimpleLimiter: %s%n", Objects.requireNonNull(figures.get(theirs)).nanos());
  }
}
