package io.poolkeeper.testbed.benchmarks.figures;

import io.poolkeeper.testbed.commands.Commands;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A command that measures. It checks its options, prints the command and the machine, and then
 * works.
 */
@Command(sortOptions = false, usageHelpWidth = 100)
public abstract class Benchmark implements Callable<Integer> {

  /** Kept, as the JDK forgets the handlers of a logger that nobody refers to. */
  private static final Logger ROOT = Logger.getLogger("");

  private static final String LAUNCHER = "./poolkeeper bench ";

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  @SuppressWarnings("UnusedVariable") // Picocli asks its annotation.
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Runs a benchmark, and ends the process with its exit code. */
  protected static void start(Benchmark benchmark, String... arguments) {
    System.exit(execute(benchmark, System.out, System.err, arguments));
  }

  /**
   * Has everything that is logged formatted, as in a service, and thrown away: whoever reads the
   * figures wants nothing else.
   */
  protected static void logToNowhere() {
    for (Handler handler : ROOT.getHandlers()) {
      ROOT.removeHandler(handler);
    }
    ROOT.addHandler(new StreamHandler(OutputStream.nullOutputStream(), new SimpleFormatter()));
  }

  /** Runs a benchmark; returns its exit code. */
  static int execute(Benchmark benchmark, PrintStream out, PrintStream err, String... arguments) {
    CommandLine line = Commands.of(benchmark, out, err, IllegalArgumentException.class::isInstance);
    return line.setCommandName(LAUNCHER + line.getCommandName()).execute(arguments);
  }

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException with option and value if one is wrong
   */
  protected void check() {}

  /** Measures and prints; returns the exit code. */
  protected abstract int measure() throws Exception;

  @Override
  public final Integer call() throws Exception {
    check();
    CommandLine line = spec.commandLine();
    String command = String.join(" ", line.getParseResult().originalArgs());
    Machine.print((spec.name() + " " + command).strip(), line.getOut());
    return measure();
  }
}
