package io.tidepool.testbed.applications;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Runs a {@link Database} until standard input closes or the process is told to end; ends with exit
 * code 1 if the server dies. Prints one line of JSON when it is ready, and nothing else on standard
 * output.
 */
public final class DatabaseMain {

  private DatabaseMain() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws IOException {
    Database database;
    try {
      database = Database.start();
    } catch (IOException e) {
      System.err.println("tidepool: " + e.getMessage());
      System.exit(1);
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(database::close, "stop"));
    database.onDeath(
        () -> {
          System.err.println("tidepool: MariaDB has died");
          System.exit(1);
        });
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.put("event", "ready");
    ready.put("port", database.port());
    ready.put("jdbcUrl", database.jdbcUrl());
    ready.put("pid", ProcessHandle.current().pid());
    System.out.println(new ObjectMapper().writeValueAsString(ready));
    while (System.in.read() >= 0) {
      // What is written here means nothing; only the end of it does.
    }
    System.exit(0);
  }
}
