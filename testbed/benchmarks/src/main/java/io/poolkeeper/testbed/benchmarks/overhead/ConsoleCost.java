package io.poolkeeper.testbed.benchmarks.overhead;

import com.sun.management.OperatingSystemMXBean;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.console.Console;
import io.poolkeeper.testbed.benchmarks.figures.Machine;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what the console costs the service whose pools it shows. */
@Command(
    name = "console-cost",
    mixinStandardHelpOptions = true,
    description = {
      "Processor time of a service with 100 pools and windows of 500 ms: without a console, with",
      "one that nobody looks at, and with one page open, whose reader is another process. They take",
      "turns in one process; a difference is that of neighbours."
    })
final class ConsoleCost implements Callable<Integer> {

  private static final double PERCENT_TARGET = 2;
  private static final int TASKS_PER_SECOND = 20;
  private static final String READER = "--reader";

  /** Processor time of the console's threads while a page is open, % of a core. */
  private final List<Double> ofPage = new ArrayList<>();

  private enum State {
    OFF,
    UNWATCHED,
    WATCHED
  }

  @Option(names = "--pools", defaultValue = "100", description = "pools (default 100)")
  private int pools;

  @Option(names = "--rounds", defaultValue = "12", description = "turns of each (default 12)")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "10", description = "length of a turn (default 10)")
  private int seconds;

  @Option(names = "--serve", description = "only opens the console, prints its address and waits")
  private boolean serve;

  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 2 && arguments[0].equals(READER)) {
      read(URI.create(arguments[1]));
      return;
    }
    LoopCost.logToNowhere();
    System.exit(new CommandLine(new ConsoleCost()).execute(arguments));
  }

  /** Reads the stream of a page until it ends. */
  private static void read(URI page) throws IOException {
    URI stream = page.resolve("/api/stream?name=pool-001");
    HttpURLConnection connection = (HttpURLConnection) stream.toURL().openConnection();
    connection.setRequestProperty("Authorization", "Bearer " + page.getFragment());
    try (InputStream body = connection.getInputStream()) {
      body.transferTo(OutputStream.nullOutputStream());
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<AdaptiveExecutor> all = new ArrayList<>();
    for (int i = 1; i <= pools; i++) {
      all.add(
          AdaptiveExecutor.builder("pool-%03d".formatted(i))
              .bounds(1, 32)
              .window(Duration.ofMillis(500))
              .jmx(false)
              .build());
    }
    Thread traffic = new Thread(() -> traffic(all));
    traffic.setDaemon(true);
    traffic.start();
    if (serve) {
      try (Console console = open(all)) {
        System.out.println(console.address());
        System.in.transferTo(OutputStream.nullOutputStream());
      }
      return 0;
    }
    Machine.print("console-cost", "--pools " + pools, "--rounds " + rounds, "--seconds " + seconds);
    measure(State.WATCHED, all, 60); // Until it is compiled, as in a service.
    Map<State, List<Double>> percents = new EnumMap<>(State.class);
    for (int i = 0; i < rounds; i++) {
      for (State state : State.values()) {
        percents.computeIfAbsent(state, any -> new ArrayList<>()).add(measure(state, all, seconds));
      }
    }
    System.out.printf(
        "%nprocessor time of the process, %% of a core; %d pools, %d tasks/s each%n",
        pools, TASKS_PER_SECOND);
    percents.forEach((state, values) -> System.out.printf("  %-9s %s%n", state, Spread.of(values)));
    Spread page = Spread.of(ofPage.subList(1, ofPage.size())); // Not the warm-up.
    System.out.printf(
        "  threads of the console, one page open: %s; %s%n", page, page.below(PERCENT_TARGET));
    print("nobody looks", percents, State.UNWATCHED);
    print("one page open", percents, State.WATCHED);
    return 0;
  }

  private static void print(String what, Map<State, List<Double>> percents, State state) {
    List<Double> more = new ArrayList<>();
    List<Double> base = percents.getOrDefault(State.OFF, List.of());
    List<Double> values = percents.getOrDefault(state, List.of());
    for (int i = 0; i < values.size(); i++) {
      more.add(values.get(i) - base.get(i));
    }
    Spread spread = Spread.of(more);
    System.out.printf(
        "  more than without a console, %s: %s; %s%n", what, spread, spread.below(PERCENT_TARGET));
  }

  /** Processor time of the threads of the console that live. */
  private static long timeOfConsole() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long nanos = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith("poolkeeper-console")) {
        nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return nanos;
  }

  private static Console open(List<AdaptiveExecutor> pools) throws IOException {
    Console console = Console.open();
    pools.forEach(console::watch);
    return console;
  }

  /** Returns the processor time in % of a core, and adds that of the console's threads. */
  private double measure(State state, List<AdaptiveExecutor> pools, int seconds)
      throws IOException, InterruptedException {
    Console console = state == State.OFF ? null : open(pools);
    Process reader = state == State.WATCHED && console != null ? reader(console.address()) : null;
    try {
      TimeUnit.SECONDS.sleep(2); // The first event is a large one.
      long cpu = processorTime();
      long own = timeOfConsole();
      long began = System.nanoTime();
      TimeUnit.SECONDS.sleep(seconds);
      long length = System.nanoTime() - began;
      double percent = 100.0 * (processorTime() - cpu) / length;
      if (state == State.WATCHED) {
        ofPage.add(100.0 * (timeOfConsole() - own) / length);
      }
      if (reader != null && !reader.isAlive()) {
        throw new IOException("the reader of the page has ended");
      }
      return percent;
    } finally {
      end(console, reader);
    }
  }

  private static void end(@Nullable Console console, @Nullable Process reader)
      throws InterruptedException {
    if (console != null) {
      console.close();
    }
    if (reader != null) {
      reader.destroy();
      reader.waitFor();
    }
  }

  private static Process reader(URI page) {
    try {
      return new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:+UseSerialGC",
              "-cp",
              System.getProperty("java.class.path"),
              ConsoleCost.class.getName(),
              READER,
              page.toString())
          .redirectError(Redirect.DISCARD)
          .redirectOutput(Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long processorTime() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** Tasks that take ten milliseconds or so. */
  private static void traffic(List<AdaptiveExecutor> pools) {
    long due = System.nanoTime();
    while (!Thread.currentThread().isInterrupted()) {
      pools.forEach(pool -> pool.execute(ConsoleCost::task));
      due += 1_000_000_000 / TASKS_PER_SECOND;
      LockSupport.parkNanos(due - System.nanoTime());
    }
  }

  private static void task() {
    double exponential = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
    LockSupport.parkNanos((long) (10_000_000 * exponential));
  }
}
