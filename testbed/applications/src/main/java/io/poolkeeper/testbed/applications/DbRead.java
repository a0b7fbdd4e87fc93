package io.poolkeeper.testbed.applications;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Reads one random row out of {@value #ROWS} by primary key and answers its timestamp. */
final class DbRead implements Application {

  static final int ROWS = 50_000;

  private final DataSource database;
  private final Draws draws;

  /** Fills the table unless it is full. */
  DbRead(DataSource database, Draws draws) throws SQLException {
    this.database = database;
    this.draws = draws;
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS readable (id INT PRIMARY KEY, at TIMESTAMP(6) NOT NULL)");
      statement.execute("INSERT IGNORE INTO readable SELECT seq, NOW(6) FROM seq_1_to_" + ROWS);
    }
  }

  @Override
  public String answer() throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT at FROM readable WHERE id = ?")) {
      select.setInt(1, draws.between(1, ROWS));
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("the row is not there; was the table emptied?");
        }
        return row.getTimestamp(1).toString();
      }
    }
  }
}
