package io.poolkeeper.testbed.disk.run;

import java.util.function.Function;

/**
 * Jobs of one kind.
 *
 * @param <W> workloads that there are
 * @param workload kind of the jobs
 * @param jobs number of them
 * @param gapNanos time between the arrival of two; 0 for all at once
 */
public record Phase<W>(W workload, int jobs, long gapNanos) {

  private static final int MOST_JOBS = 10_000_000;

  /**
   * Reads a phase such as {@code rw_2mb:200:oneshot} or {@code read_2mb:200:100us}.
   *
   * @param named finds a workload by its name, or throws an {@link IllegalArgumentException}
   * @throws IllegalArgumentException naming what is wrong
   */
  public static <W> Phase<W> parse(String text, Function<String, W> named) {
    String[] parts = text.split(":", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException(
          "a phase must be workload:jobs:arrivals, such as rw_2mb:200:oneshot, but is '"
              + text
              + "'");
    }
    if (!parts[1].matches("\\d{1,8}")
        || Integer.parseInt(parts[1]) < 1
        || Integer.parseInt(parts[1]) > MOST_JOBS) {
      throw new IllegalArgumentException(
          "jobs of a phase must be from 1 to %d, but are '%s'".formatted(MOST_JOBS, parts[1]));
    }
    return new Phase<>(named.apply(parts[0]), Integer.parseInt(parts[1]), gap(parts[2]));
  }

  private static long gap(String text) {
    if (text.equals("oneshot")) {
      return 0;
    }
    if (!text.matches("[1-9]\\d{0,5}(us|ms)")) {
      throw new IllegalArgumentException(
          "arrivals must be oneshot, or one job every so many us or ms, such as 30ms, but are '"
              + text
              + "'");
    }
    long number = Long.parseLong(text.substring(0, text.length() - 2));
    return number * (text.endsWith("us") ? 1_000 : 1_000_000);
  }
}
