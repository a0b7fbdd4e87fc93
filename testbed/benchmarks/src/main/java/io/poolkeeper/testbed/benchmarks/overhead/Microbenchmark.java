package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.testbed.benchmarks.figures.Machine;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs JMH benchmarks in turns, one fork of each at a time, and keeps the figure of each fork. */
final class Microbenchmark {

  /**
   * The figures of one benchmark, a value a fork.
   *
   * @param nanos nanoseconds an operation
   * @param bytes bytes allocated an operation
   */
  record Figures(Spread nanos, Spread bytes) {}

  /**
   * Benchmark to run.
   *
   * @param include method, as JMH's regular expressions name it
   * @param parameters values of its parameters
   */
  record Subject(String include, Map<String, String> parameters) {}

  private Microbenchmark() {}

  /** Runs each subject {@code forks} times, with iterations of half a second. */
  static Map<Subject, Figures> inTurns(List<Subject> subjects, int forks, int iterations)
      throws RunnerException {
    Map<Subject, List<Double>> nanos = new LinkedHashMap<>();
    Map<Subject, List<Double>> bytes = new LinkedHashMap<>();
    for (int fork = 0; fork < forks; fork++) {
      for (Subject subject : subjects) {
        RunResult run = new Runner(options(subject, iterations)).runSingle();
        Result<?> allocated =
            Objects.requireNonNull(run.getSecondaryResults().get("gc.alloc.rate.norm"));
        nanos
            .computeIfAbsent(subject, key -> new ArrayList<>())
            .add(run.getPrimaryResult().getScore());
        bytes.computeIfAbsent(subject, key -> new ArrayList<>()).add(allocated.getScore());
      }
    }
    Map<Subject, Figures> figures = new LinkedHashMap<>();
    nanos.forEach(
        (subject, values) ->
            figures.put(
                subject,
                new Figures(Spread.of(values), Spread.of(bytes.getOrDefault(subject, List.of())))));
    return figures;
  }

  private static Options options(Subject subject, int iterations) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(subject.include())
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .threads(1)
            .forks(1)
            .warmupIterations(iterations)
            .warmupTime(TimeValue.milliseconds(500))
            .measurementIterations(iterations)
            .measurementTime(TimeValue.milliseconds(500))
            .addProfiler(GCProfiler.class)
            .verbosity(VerboseMode.SILENT)
            .jvmArgs(Machine.FORK_OPTIONS.toArray(String[]::new));
    subject.parameters().forEach(options::param);
    return options.build();
  }
}
