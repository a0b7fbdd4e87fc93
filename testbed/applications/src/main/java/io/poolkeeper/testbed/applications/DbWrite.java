package io.poolkeeper.testbed.applications;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import javax.sql.DataSource;

/** Inserts the present time into a table, one committed row a request. */
final class DbWrite implements Application {

  private final DataSource database;

  /** Empties the table, so that every run begins alike. */
  DbWrite(DataSource database) throws SQLException {
    this.database = database;
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS written"
              + " (id BIGINT AUTO_INCREMENT PRIMARY KEY, at TIMESTAMP(6) NOT NULL)");
      statement.execute("TRUNCATE TABLE written");
    }
  }

  @Override
  public String answer() throws SQLException {
    Timestamp now = Timestamp.from(Instant.now());
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO written (at) VALUES (?)")) {
      insert.setTimestamp(1, now);
      insert.executeUpdate();
      return now.toString();
    }
  }
}
