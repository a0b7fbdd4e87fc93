package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.testbed.benchmarks.figures.Machine;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.benchmarks.figures.Turns;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Lets two do the same in turns of some tens of milliseconds or more, so that whatever else the
 * machine does meets both, and in several virtual machines, because each compiles and lays out
 * memory anew.
 */
final class Duel {

  /** One of the two. */
  @FunctionalInterface
  interface Side {
    /** Works for some tens of milliseconds or more; returns operations per second. */
    double turn() throws InterruptedException;
  }

  /**
   * Result of a duel.
   *
   * @param ratio ours to theirs: the median over the turns of each virtual machine
   * @param ours operations per second, the same way
   * @param theirs operations per second, the same way
   */
  record Result(Spread ratio, Spread ours, Spread theirs) {}

  private Duel() {}

  /** In a virtual machine of its own: {@code rounds} turns of each, told on standard output. */
  static void fight(Side ours, Side theirs, int warmUps, int rounds) throws Exception {
    Map<Side, List<Double>> rates =
        Turns.take("duel", List.of(theirs, ours), warmUps, rounds, Side::turn);
    List<Double> oursAll = Objects.requireNonNull(rates.get(ours));
    List<Double> theirsAll = Objects.requireNonNull(rates.get(theirs));
    System.out.printf(
        Locale.ROOT,
        "%f %f %f%n",
        Spread.of(Turns.ratios(oursAll, theirsAll)).median(),
        Spread.of(oursAll).median(),
        Spread.of(theirsAll).median());
  }

  /**
   * Runs {@code main} in {@code forks} virtual machines one after the other.
   *
   * @param arguments what makes it {@link #fight}
   */
  static Result inForks(Class<?> main, int forks, List<String> arguments)
      throws IOException, InterruptedException {
    List<Double> ratios = new ArrayList<>();
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    for (int i = 0; i < forks; i++) {
      String[] rates = fork(main, arguments).split(" ", -1);
      ratios.add(Double.valueOf(rates[0]));
      ours.add(Double.valueOf(rates[1]));
      theirs.add(Double.valueOf(rates[2]));
    }
    return new Result(Spread.of(ratios), Spread.of(ours), Spread.of(theirs));
  }

  private static String fork(Class<?> main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Machine.FORK_OPTIONS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line = output.readLine();
      if (process.waitFor() != 0 || line == null) {
        throw new IOException("a forked virtual machine failed: " + String.join(" ", command));
      }
      return line;
    } finally {
      process.destroyForcibly();
    }
  }
}
