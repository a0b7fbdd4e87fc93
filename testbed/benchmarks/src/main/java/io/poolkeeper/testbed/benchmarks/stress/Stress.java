package io.poolkeeper.testbed.benchmarks.stress;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.commands.Ranges;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs {@link StressRounds} in virtual machines with a small heap, and adds up the losses. */
@Command(
    name = "stress",
    description = {
      "Uses pool and limiter, and the JDK's ThreadPoolExecutor and Semaphore in the same process,",
      "while the heap of 24 MB is full again and again, threads cannot be made, tasks throw and",
      "waiting threads are interrupted. Counts lost workers, tasks, permits and counts. Exits with",
      "1 if the pool or the limiter lost anything."
    })
final class Stress extends Benchmark {

  private static final List<String> COLLECTORS = List.of("SerialGC", "G1GC", "ParallelGC");

  /** Rounds of one virtual machine; later ones find all classes loaded. */
  private static final int ROUNDS = 5;

  private static final int SECONDS_A_ROUND = 6;
  private static final int MOST_MINUTES = 10_000;

  @Option(
      names = "--minutes",
      defaultValue = "60",
      description = "duration, 1 or more (default ${DEFAULT-VALUE})")
  private int minutes;

  private final Map<String, Long> sums = new TreeMap<>();

  public static void main(String[] arguments) {
    start(new Stress(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--minutes", minutes, 1, MOST_MINUTES);
  }

  @Override
  protected int measure() throws IOException, InterruptedException {
    long began = System.nanoTime();
    long reported = began;
    for (int machines = 0; minutesSince(began) < minutes; machines++) {
      run(COLLECTORS.get(machines % COLLECTORS.size()), machines);
      if (minutesSince(reported) >= 1) {
        System.out.println(minutesSince(began) + " min: " + sums);
        reported = System.nanoTime();
      }
    }
    System.out.println("\nafter " + minutesSince(began) + " min: " + sums);
    boolean lost =
        sums.entrySet().stream()
            .anyMatch(sum -> sum.getKey().startsWith("ours-lost") && sum.getValue() != 0);
    return lost ? 1 : 0;
  }

  private static long minutesSince(long time) {
    return TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - time);
  }

  /** Runs one virtual machine and adds the numbers that it prints, one name and value a line. */
  private void run(String collector, int seed) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx24m", "-XX:+Use" + collector, "-XX:-UseGCOverheadLimit"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(StressRounds.class.getName());
    command.addAll(
        List.of(
            Integer.toString(seed), Integer.toString(ROUNDS), Integer.toString(SECONDS_A_ROUND)));
    Path errors = Files.createTempFile("poolkeeper-stress", ".txt");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line; (line = lines.readLine()) != null; ) {
        int space = line.indexOf(' ');
        String name = line.substring(0, space);
        long value = Long.parseLong(line.substring(space + 1));
        sums.merge(name, value, Long::sum);
        if (value != 0 && name.startsWith("ours-lost")) {
          System.out.println(line + " with " + collector + ", seed " + seed);
        }
      }
    } finally {
      process.destroy();
    }
    if (process.waitFor() != 0) {
      sums.merge("ours-lost-processes", 1L, Long::sum);
      System.out.println("failed with " + collector + ", seed " + seed + ": " + errors);
    } else {
      Files.delete(errors);
    }
  }
}
