package io.poolkeeper.testbed.replay;

import io.poolkeeper.testbed.commands.StandardOutput;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that lists the controllers. */
@Command(
    name = "./poolkeeper controllers",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Lists everything that can decide the size of a pool, or tells all about one: source,",
      "signal, trigger, settings with their defaults, and when it fails."
    },
    footer = {
      "",
      "Examples",
      "  ./poolkeeper controllers",
      "  ./poolkeeper controllers fbos",
      "  ./poolkeeper controllers --markdown > docs/controllers.md",
      "",
      "Exit code: 0 listed, 2 wrong input"
    })
public final class ControllersMain implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", arity = "0..1", description = "The one to tell all about")
  private @Nullable String name;

  @Option(names = "--markdown", description = "Prints the page of all of them for the documents")
  private boolean markdown;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Runner.execute(new ControllersMain(), out, err, args);
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (name != null) {
      Listing.details(name).forEach(out::println);
    } else if (markdown) {
      out.print(Listing.markdown());
      out.flush();
    } else {
      Listing.lines().forEach(out::println);
      out.println();
      out.println(
          "./poolkeeper controllers NAME tells all about one; docs/controllers.md about all.");
    }
    return CommandLine.ExitCode.OK;
  }
}
