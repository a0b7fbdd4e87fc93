package io.poolkeeper.testbed.replay;

import io.poolkeeper.console.RecordConsole;
import io.poolkeeper.testbed.commands.Plurals;
import io.poolkeeper.testbed.commands.StandardOutput;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that shows run records on the page of the console. */
@Command(
    name = "./poolkeeper console",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows run records on a page in the browser: sizes, rates and response times on a time axis",
      "that plays, each decision with its reason, and the curve that was learned at each moment.",
      "",
      "Prints the address of the page, and serves it on this machine alone until Ctrl-C."
    },
    footer = {
      "",
      "Examples",
      "  ./poolkeeper console runs/demo-20260101-120000             all runs of a demo",
      "  ./poolkeeper console runs/demo-20260101-120000/adaptive-1  one of them",
      "",
      "A program that runs has a console of its own: docs/console.md.",
      "Exit code: 2 wrong input; it runs until it is stopped"
    })
public final class ConsoleMain implements Callable<Integer> {

  private static final int HIGHEST_PORT = 65_535;

  @Parameters(
      paramLabel = "RECORD",
      description = {
        "Folder of a run, such as `run`, `simulate` and `serve --record` leave, or of up to 100 runs"
      })
  private Path record = Path.of("");

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port; 0, the default, for a free one")
  private int port;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command with other outputs; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Runner.execute(new ConsoleMain(), out, err, args);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port < 0 || port > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "port must be 0 to %d, but is %d; the nearest valid value is %d"
              .formatted(HIGHEST_PORT, port, Math.max(0, Math.min(HIGHEST_PORT, port))));
    }
    try (RecordConsole console = RecordConsole.open(record, port)) {
      PrintWriter out = spec.commandLine().getOut();
      out.println(console.address());
      out.flush();
      spec.commandLine()
          .getErr()
          .printf(
              "poolkeeper: open this address in a browser; it shows %s, until Ctrl-C%n",
              Plurals.count(console.pools(), "pool"));
      new CountDownLatch(1).await(); // Ends with the process.
      return 0;
    }
  }
}
