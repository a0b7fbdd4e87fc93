package io.poolkeeper.testbed.benchmarks.simulator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The closed machine in SimPy, in a process of its own. */
final class SimpyMachine {

  private static final Pattern NUMBER = Pattern.compile("\"(\\w+)\": ([0-9.e+-]+)");

  private SimpyMachine() {}

  /**
   * Figures of a run.
   *
   * @param completionsPerSecond requests answered a second
   * @param eventsPerCompletion events of SimPy behind each
   */
  record Pace(double completionsPerSecond, double eventsPerCompletion) {}

  /**
   * Runs one of the two programs.
   *
   * @param shape idiomatic or published
   * @param seconds to run
   * @throws IOException with what it said if it failed, as without SimPy
   */
  static Pace run(
      String shape, int users, int servers, double think, double service, double seconds, int seed)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            System.getProperty("python", "python3"),
            System.getProperty("program", "simpy_machine.py"),
            shape,
            Integer.toString(users),
            Integer.toString(servers),
            Double.toString(think),
            Double.toString(service),
            Double.toString(seconds),
            Integer.toString(seed));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(
          "SimPy failed: %s (./poolkeeper bench sets it up; --no-simpy leaves it out)"
              .formatted(output.strip().replaceAll(".*\\R", "")));
    }
    double completions = 0;
    double elapsed = Double.NaN;
    double events = Double.NaN;
    Matcher found = NUMBER.matcher(output);
    while (found.find()) {
      double value = Double.parseDouble(found.group(2));
      switch (found.group(1)) {
        case "completions" -> completions = value;
        case "seconds" -> elapsed = value;
        default -> events = value;
      }
    }
    return new Pace(completions / elapsed, events);
  }
}
