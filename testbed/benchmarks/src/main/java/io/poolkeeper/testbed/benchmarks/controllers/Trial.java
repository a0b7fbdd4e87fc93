package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A quick tunnel with the response-curve controller in a virtual machine of its own. */
final class Trial {

  private static final String TUNNEL = "io.poolkeeper.testbed.tunnel.TunnelMain";
  private static final int CELL_COLUMNS = 3;
  private static final int OVERALL_COLUMN = 5;

  private final Process process;
  private final Path folder;

  /**
   * Scores of a trial: work done as a fraction of the optimum.
   *
   * @param mean mean of all situations
   * @param worst score of the worst situation
   * @param situation plant, load and noise of the worst situation
   */
  record Scores(double mean, double worst, String situation) {

    private static Scores of(Map<String, Double> bySituation) {
      double mean =
          bySituation.values().stream().mapToDouble(Double::doubleValue).average().orElseThrow();
      Map.Entry<String, Double> worst =
          bySituation.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow();
      return new Scores(mean, worst.getValue(), worst.getKey());
    }
  }

  /**
   * Starts a trial.
   *
   * @param tuning value of the system property that varies constants
   * @param seeds runs in each situation
   */
  Trial(String tuning, int seeds) throws IOException {
    folder = Files.createTempDirectory("poolkeeper-sensitivity");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-Dpoolkeeper.tuning=" + tuning,
            "-cp",
            System.getProperty("java.class.path"),
            TUNNEL,
            "--quick",
            "--controllers",
            "response-curve",
            "--seeds",
            Integer.toString(seeds),
            "--jobs",
            "1",
            "-o",
            folder.toString());
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log.txt").toFile())
            .start();
  }

  /**
   * Waits for the end and returns the scores.
   *
   * @throws IOException with the last lines of the output, if the trial failed
   */
  Scores await() throws IOException, InterruptedException {
    try {
      if (process.waitFor() != 0) {
        List<String> log = Files.readAllLines(folder.resolve("log.txt"));
        throw new IOException(
            String.join("\n", log.subList(Math.max(0, log.size() - 5), log.size())));
      }
      return Scores.of(overallBySituation());
    } finally {
      Folders.delete(folder);
    }
  }

  /** Stops the process and deletes its results. */
  void stop() {
    process.destroyForcibly().onExit().join();
    try {
      Folders.delete(folder);
    } catch (IOException | UncheckedIOException e) {
      System.err.println("poolkeeper: " + folder + " is left: " + e);
    }
  }

  private Map<String, Double> overallBySituation() throws IOException {
    try (Stream<String> lines = Files.lines(folder.resolve(Results.RESULTS))) {
      return lines
          .skip(1)
          .map(line -> line.split(",", -1))
          .collect(
              Collectors.groupingBy(
                  cells -> String.join(" ", List.of(cells).subList(0, CELL_COLUMNS)),
                  TreeMap::new,
                  Collectors.averagingDouble(cells -> Double.parseDouble(cells[OVERALL_COLUMN]))));
    }
  }
}
