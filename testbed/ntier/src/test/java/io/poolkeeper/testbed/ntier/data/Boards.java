package io.poolkeeper.testbed.ntier.data;

import io.poolkeeper.testbed.ntier.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Databases with a bulletin board. */
public final class Boards {

  private Boards() {}

  /** Fills a new database of a server with a small board, and returns its URL. */
  public static String small(PostgresServer server) throws SQLException, IOException {
    String url = server.createDatabase();
    try (Connection connection = DriverManager.getConnection(url, "postgres", null)) {
      new DataGenerator(connection, DataSize.of("small"), 1).run();
    }
    return url;
  }
}
