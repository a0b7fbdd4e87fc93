package io.poolkeeper.testbed.commands;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Handling of arguments for the commands of the testbed: one line for whatever is wrong. */
public final class Commands {

  /** Exit code of a command that could not do what it was asked for. */
  public static final int FAILED = 1;

  /** Exit code of a command whose caller must change something. */
  public static final int BAD_INPUT = 2;

  private Commands() {}

  /**
   * Prepares a command. What is wrong with its arguments gets {@link #BAD_INPUT}.
   *
   * @param command an object with picocli's annotations
   * @param badInput whether the caller must change something after an exception of the command; any
   *     other gets {@link #FAILED}
   */
  public static CommandLine of(
      Object command, PrintStream out, PrintStream err, Predicate<Exception> badInput) {
    PrintWriter errors = new PrintWriter(err, true, StandardCharsets.UTF_8);
    return new CommandLine(command)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(errors)
        .setParameterExceptionHandler(
            (e, args) -> {
              errors.println("poolkeeper: " + wrong(e) + " (--help explains)");
              return BAD_INPUT;
            })
        .setExecutionExceptionHandler(
            (e, line, result) -> {
              errors.println("poolkeeper: " + Objects.requireNonNullElse(e.getMessage(), e));
              return badInput.test(e) ? BAD_INPUT : FAILED;
            });
  }

  /**
   * Returns what is wrong with arguments. For an unknown option it names the nearest one, also
   * where another one is missing: that may be what was meant.
   */
  private static String wrong(ParameterException e) {
    CommandLine line = e.getCommandLine();
    List<String> unmatched =
        e instanceof UnmatchedArgumentException || e instanceof MissingParameterException
            ? line.getUnmatchedArguments()
            : List.of();
    if (!unmatched.isEmpty() && unmatched.get(0).startsWith("-")) {
      String option = unmatched.get(0).split("=", 2)[0];
      List<String> options =
          line.getCommandSpec().options().stream()
              .filter(each -> !each.hidden())
              .map(OptionSpec::longestName)
              .toList();
      try {
        Names.require("option", option, options);
      } catch (IllegalArgumentException unknown) {
        return Objects.requireNonNull(unknown.getMessage());
      }
    }
    return Objects.requireNonNullElse(e.getMessage(), e.toString());
  }
}
