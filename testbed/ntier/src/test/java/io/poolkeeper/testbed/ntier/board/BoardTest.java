package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.testbed.ntier.PostgresServer;
import io.poolkeeper.testbed.ntier.data.Boards;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A board of its own for each test. */
abstract class BoardTest {

  String url = "";
  BoardProcess board;

  @BeforeEach
  void startBoard() throws Exception {
    url = Boards.small(PostgresServer.shared());
    board = new BoardProcess(url, 20, 8, Duration.ofSeconds(30));
  }

  @AfterEach
  void stopBoard() {
    if (board != null) {
      board.close();
    }
  }

  /** The first value of a query as a number. */
  int number(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, "postgres", null);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** Nickname and password of a generated user, as fields of a form. */
  static String login(int user) {
    return "&nickname=user%d&password=password%d".formatted(user, user);
  }
}
