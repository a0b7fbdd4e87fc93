package io.poolkeeper.testbed.applications;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Transactions on {@value #ROWS} rows: each changes two to four of them in any order. More at once
 * wait for each other's locks and end in deadlocks. What a deadlock or a lock timeout ended is
 * tried again at once, up to {@value #PATIENCE_SECONDS} s.
 */
final class HotRows implements Application {

  static final int ROWS = 8;
  private static final int MOST_CHANGED = 4;
  private static final long PATIENCE_SECONDS = 10;
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;

  /** The driver warns of each deadlock; held, or its level would be forgotten with the logger. */
  private static final Logger DRIVER = Logger.getLogger("org.mariadb.jdbc");

  private final DataSource database;
  private final Draws draws;

  /** Makes the rows anew. */
  HotRows(DataSource database, Draws draws) throws SQLException {
    this.database = database;
    this.draws = draws;
    DRIVER.setLevel(Level.SEVERE);
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS hot (id INT PRIMARY KEY, changes BIGINT NOT NULL)");
      statement.execute("TRUNCATE TABLE hot");
      statement.execute("INSERT INTO hot SELECT seq, 0 FROM seq_1_to_" + ROWS);
    }
  }

  @Override
  public String answer() throws SQLException {
    int[] rows = rows(draws.next());
    long deadline = System.nanoTime() + Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        PreparedStatement update =
            connection.prepareStatement("UPDATE hot SET changes = changes + 1 WHERE id = ?")) {
      int attempts = 1;
      while (!attempt(rows, statement, update, System.nanoTime() < deadline)) {
        attempts++;
      }
      return rows.length + " rows, attempt " + attempts;
    }
  }

  /** Draws two to four different rows, in the order in which they are to be locked. */
  static int[] rows(SplittableRandom random) {
    int[] rows = new int[ROWS];
    for (int i = 0; i < ROWS; i++) {
      rows[i] = i + 1;
    }
    int count = random.nextInt(2, MOST_CHANGED + 1);
    for (int i = 0; i < count; i++) {
      int other = random.nextInt(i, ROWS);
      int row = rows[other];
      rows[other] = rows[i];
      rows[i] = row;
    }
    return Arrays.copyOf(rows, count);
  }

  /**
   * Runs the transaction once; returns whether it was committed, false if it may be tried again.
   */
  private static boolean attempt(
      int[] rows, Statement statement, PreparedStatement update, boolean again)
      throws SQLException {
    try {
      statement.execute("START TRANSACTION");
      for (int row : rows) {
        update.setInt(1, row);
        if (update.executeUpdate() != 1) {
          throw new SQLException("row " + row + " is not there; was the table emptied?");
        }
      }
      statement.execute("COMMIT");
      return true;
    } catch (SQLException e) {
      rollBack(statement, e);
      boolean conflict = e.getErrorCode() == DEADLOCK || e.getErrorCode() == LOCK_WAIT_TIMEOUT;
      if (!conflict || !again) {
        throw e;
      }
      return false;
    }
  }

  /** A timeout ends the statement and not the transaction, and would keep the locks. */
  private static void rollBack(Statement statement, SQLException cause) {
    try {
      statement.execute("ROLLBACK");
    } catch (SQLException e) {
      cause.addSuppressed(e); // The connection is gone, and the transaction with it.
    }
  }
}
