package io.poolkeeper.testbed.ntier.data;

import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.ntier.database.DatabaseAddress;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Fills an empty database with a bulletin board, and prints the numbers of its rows. */
@Command(
    name = "board-data",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Fills a PostgreSQL database with the eight tables of the bulletin board.",
      "The same size and seed give the same rows: fill each replica by itself."
    },
    footer = {"", "Example: --jdbc-url jdbc:postgresql://127.0.0.1:5432/board --size small"})
public final class DataMain implements Callable<Integer> {

  @Mixin private DatabaseAddress address = new DatabaseAddress();

  @Option(
      names = "--size",
      defaultValue = "small",
      description = {
        "small (500 users, 500 stories, 5000 comments), medium (ten times as many) or large (a",
        "hundred times as many). Default: ${DEFAULT-VALUE}"
      })
  private String size = "small";

  @Option(names = "--users", description = "Users, 20 or more, in place of those of the size")
  private @Nullable Integer users;

  @Option(names = "--stories", description = "Stories, 20 or more, in place of those of the size")
  private @Nullable Integer stories;

  @Option(
      names = "--comments",
      description = "Comments, as many as stories or more, in place of those of the size")
  private @Nullable Integer comments;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Start of the random choices. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(names = "--replace", description = "Deletes a bulletin board that is there already")
  private boolean replace;

  private final PrintStream out;

  private DataMain(PrintStream out) {
    this.out = out;
  }

  /** Exit codes: 0 when filled, 1 if something failed, 2 for what the caller can put right. */
  public static void main(String[] args) {
    System.exit(commandLine(System.out, System.err).execute(args));
  }

  static CommandLine commandLine(PrintStream out, PrintStream err) {
    return Commands.of(new DataMain(out), out, err, e -> e instanceof IllegalArgumentException);
  }

  @Override
  public Integer call() throws SQLException, IOException {
    DataSize named = DataSize.of(size);
    DataSize rows =
        new DataSize(
            users == null ? named.users() : users,
            stories == null ? named.stories() : stories,
            comments == null ? named.comments() : comments);
    try (Connection connection = address.connect()) {
      if (DataGenerator.exists(connection)) {
        if (!replace) {
          throw new IllegalArgumentException(
              "database %s holds a bulletin board already: --replace deletes it"
                  .formatted(address.url()));
        }
        DataGenerator.drop(connection);
      }
      new DataGenerator(connection, rows, seed).run();
    }
    out.printf(
        "{\"users\":%d,\"authors\":%d,\"categories\":%d,\"stories\":%d,\"submissions\":%d,"
            + "\"comments\":%d}%n",
        rows.users(),
        rows.authors(),
        DataSize.CATEGORIES,
        rows.stories(),
        rows.submissions(),
        rows.comments());
    return 0;
  }
}
