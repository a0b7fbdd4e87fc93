package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.console.Console;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.MedianInterval;
import io.poolkeeper.testbed.benchmarks.figures.Turns;
import io.poolkeeper.testbed.commands.ProgressText;
import io.poolkeeper.testbed.commands.Ranges;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what the console costs the service whose pools it shows. */
@Command(
    name = "console-cost",
    description = {
      "Processor time of a service with pools and windows of 500 ms: without a console, with one",
      "that nobody looks at, and with one page open, whose reader is another process. They take",
      "turns in one process; ratios and differences are those of one round."
    })
final class ConsoleCost extends Benchmark {

  private static final double PERCENT_TARGET = 2;

  /** Until connections are there and the first event is written. */
  private static final int SETTLING_SECONDS = 1;

  private enum State {
    OFF,
    UNWATCHED,
    WATCHED
  }

  /**
   * Processor times of a turn, in % of a core.
   *
   * @param process of the whole process
   * @param console of the console's threads
   */
  private record Percent(double process, double console) {}

  @Option(
      names = "--pools",
      paramLabel = "N",
      defaultValue = "100",
      description = "Pools. Default: ${DEFAULT-VALUE}, for which the target is meant")
  private int pools;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "12",
      description = "Turns of each; 6 or more to tell anything. Default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Seconds of a turn. Default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Time with a page open before, for the compiler. Default: ${DEFAULT-VALUE}")
  private int warmUp;

  public static void main(String[] arguments) {
    logToNowhere();
    start(new ConsoleCost(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--pools", pools, 1, 1000);
    Ranges.require("--rounds", rounds, 1, 1000);
    Ranges.require("--seconds", seconds, 1, 600);
    Ranges.require("--warm-up", warmUp, 0, 600);
  }

  @Override
  protected int measure() throws Exception {
    try (ConsoleService service = new ConsoleService(pools)) {
      try (ProgressText progress = new ProgressText("console")) {
        progress.accept("console: warm-up of %d s".formatted(warmUp));
        measure(service, State.WATCHED, warmUp);
      }
      Map<State, List<Percent>> found =
          Turns.take(
              "console",
              List.of(State.values()),
              0,
              rounds,
              state -> measure(service, state, seconds));
      show(found);
    }
    return 0;
  }

  private void show(Map<State, List<Percent>> found) {
    List<Double> off = ofProcess(found, State.OFF);
    List<Double> unwatched = ofProcess(found, State.UNWATCHED);
    List<Double> watched = ofProcess(found, State.WATCHED);
    List<Double> threads = turns(found, State.WATCHED).stream().map(Percent::console).toList();
    System.out.printf(
        "%nprocessor time, %% of a core; %d pools, %d tasks/s each%n",
        pools, ConsoleService.TASKS_PER_SECOND);
    print("threads of the console, one page open", MedianInterval.below(threads, PERCENT_TARGET));
    print("process without a console", MedianInterval.text(off));
    print("process, nobody looks", MedianInterval.text(unwatched));
    print("process, one page open", MedianInterval.text(watched));
    print(
        "more, nobody looks",
        MedianInterval.below(Turns.differences(unwatched, off), PERCENT_TARGET));
    print(
        "more, one page open",
        MedianInterval.below(Turns.differences(watched, off), PERCENT_TARGET));
    System.out.println("\nratio of the processor times of the process, to that without a console");
    print("nobody looks", MedianInterval.text(Turns.ratios(unwatched, off)));
    print("one page open", MedianInterval.text(Turns.ratios(watched, off)));
  }

  private static void print(String what, String figures) {
    System.out.printf("  %s: %s%n", what, figures);
  }

  private static List<Percent> turns(Map<State, List<Percent>> found, State state) {
    return Objects.requireNonNull(found.get(state));
  }

  private static List<Double> ofProcess(Map<State, List<Percent>> found, State state) {
    return turns(found, state).stream().map(Percent::process).toList();
  }

  private static Percent measure(ConsoleService service, State state, int seconds)
      throws IOException, InterruptedException {
    if (state == State.OFF) {
      return measure(seconds);
    }
    try (Console console = service.openConsole()) {
      if (state == State.UNWATCHED) {
        return measure(seconds);
      }
      try (ConsoleReader reader = new ConsoleReader(console.address())) {
        Percent percent = measure(seconds);
        if (!reader.isReading()) {
          throw new IOException("the reader of the page has ended");
        }
        return percent;
      }
    }
  }

  private static Percent measure(int seconds) throws InterruptedException {
    TimeUnit.SECONDS.sleep(SETTLING_SECONDS);
    long process = ProcessorTimes.ofProcess();
    long console = ProcessorTimes.ofThreads("poolkeeper-console");
    long began = System.nanoTime();
    TimeUnit.SECONDS.sleep(seconds);
    double length = System.nanoTime() - began;
    return new Percent(
        100 * (ProcessorTimes.ofProcess() - process) / length,
        100 * (ProcessorTimes.ofThreads("poolkeeper-console") - console) / length);
  }
}
