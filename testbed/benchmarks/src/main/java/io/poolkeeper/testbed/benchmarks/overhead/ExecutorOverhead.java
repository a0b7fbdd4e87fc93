package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.benchmarks.overhead.Microbenchmark.Figures;
import io.poolkeeper.testbed.benchmarks.overhead.Microbenchmark.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cost of measuring, for the tasks of a pool. */
@Command(
    name = "executor-overhead",
    description = "Empty tasks through AdaptiveExecutor against ThreadPoolExecutor.")
final class ExecutorOverhead extends Benchmark {

  private static final double THROUGHPUT_TARGET = 1.0;
  private static final double NANOS_TARGET = 60;

  /** Two objects take at least twice the 16 bytes of the smallest. */
  private static final double BYTES_TARGET = 32;

  @Mixin private final Effort effort = new Effort();

  public static void main(String[] arguments) {
    start(new ExecutorOverhead(), arguments);
  }

  @Override
  protected int measure() throws Exception {
    int workers = Runtime.getRuntime().availableProcessors();
    System.out.printf(
        "%nempty tasks a second, bounded queue, %d workers; ratio of AdaptiveExecutor to"
            + " ThreadPoolExecutor%n",
        workers);
    for (int producers : new int[] {1, 2, 8}) {
      Duel.Result result =
          Duel.inForks(
              ExecutorDuel.class,
              effort.forks(),
              arguments(producers, workers, effort.warmUps(), effort.rounds()));
      System.out.printf(
          "  %d producers: %s to %s million/s; ratio %s; %s%n",
          producers,
          Spread.number(result.ours().median() / 1e6),
          Spread.number(result.theirs().median() / 1e6),
          result.ratio(),
          result.ratio().atLeast(THROUGHPUT_TARGET));
    }
    costs();
    return 0;
  }

  private static List<String> arguments(int... numbers) {
    List<String> arguments = new ArrayList<>();
    for (int number : numbers) {
      arguments.add(Integer.toString(number));
    }
    return arguments;
  }

  private void costs() throws Exception {
    Subject jdk = subject("jdk");
    Subject poolkeeper = subject("poolkeeper");
    Subject timed = subject("every-task-timed");
    Map<Subject, Figures> figures =
        Microbenchmark.inTurns(
            List.of(jdk, poolkeeper, timed), effort.forks(), effort.iterations());
    Figures base = Objects.requireNonNull(figures.get(jdk));
    System.out.println("\na task of both threads' time, without contention: ns, bytes allocated");
    System.out.printf("  ThreadPoolExecutor: %s ns, %s B%n", base.nanos(), base.bytes());
    more("AdaptiveExecutor", base, Objects.requireNonNull(figures.get(poolkeeper)));
    more("every task timed", base, Objects.requireNonNull(figures.get(timed)));
  }

  private static void more(String name, Figures base, Figures ours) {
    Spread nanos = ours.nanos().less(base.nanos().median());
    Spread bytes = ours.bytes().less(base.bytes().median());
    System.out.printf("  %s: %s ns, %s B%n", name, ours.nanos(), ours.bytes());
    System.out.printf("    measuring: %s ns; %s%n", nanos, nanos.below(NANOS_TARGET));
    System.out.printf(
        "    objects: %s B more, so at most one; %s%n", bytes, bytes.below(BYTES_TARGET));
  }

  private static Subject subject(String pool) {
    return new Subject("ExecutorBenchmark.fillThenDrain", Map.of("pool", pool));
  }
}
