package io.poolkeeper.testbed.applications;

import io.poolkeeper.testbed.applications.mariadb.Database;
import io.poolkeeper.testbed.commands.Service;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Runs a {@link Database} until standard input closes or the process is told to end. Prints one
 * line of JSON when it is ready, and nothing else on standard output. If MariaDB dies, so does
 * this, with exit code 1.
 */
public final class DatabaseMain {

  private DatabaseMain() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws IOException {
    if (args.length > 0) {
      fail(2, "the database takes no arguments, but was given " + String.join(" ", args));
    }
    // What MariaDB says, a line each; the libraries' stack traces add nothing to it.
    System.setProperty("java.util.logging.SimpleFormatter.format", "%5$s%n");
    Database database;
    try {
      database = Database.start();
    } catch (IOException e) {
      fail(1, String.valueOf(e.getMessage()));
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(database::close, "stop"));
    database.onDeath(() -> fail(1, "MariaDB has died"));
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.put("port", database.port());
    ready.put("jdbcUrl", database.jdbcUrl());
    ready.put("serverPid", database.pid());
    Service.announce(System.out, ready);
    Service.awaitEnd(System.in);
    System.exit(0);
  }

  private static void fail(int code, String why) {
    System.err.println("poolkeeper: " + why);
    System.exit(code);
  }
}
