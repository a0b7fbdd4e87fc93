package io.poolkeeper.testbed.ntier.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.ntier.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The generated data and the command that makes them. */
class DataTest {

  private static final List<String> TABLES =
      List.of(
          "categories",
          "users",
          "stories",
          "old_stories",
          "submissions",
          "comments",
          "old_comments",
          "moderator_log");

  private static PostgresServer postgres;

  @BeforeAll
  static void start() throws Exception {
    postgres = PostgresServer.shared();
  }

  private static String query(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, "postgres", null);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    }
  }

  private static String digest(String url) throws SQLException {
    StringBuilder digest = new StringBuilder();
    for (String table : TABLES) {
      digest.append(
          query(url, "select md5(string_agg(t::text, '\n' order by t.id)) from " + table + " t"));
    }
    return digest.toString();
  }

  private record Run(int code, String out, String err) {}

  private static Run run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        DataMain.commandLine(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8))
            .execute(args);
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void sameSeedGivesTheSameRows() throws Exception {
    String first = postgres.createDatabase();
    String second = postgres.createDatabase();
    String other = postgres.createDatabase();
    assertThat(run("--jdbc-url", first, "--size", "small").out())
        .isEqualTo(
            "{\"users\":500,\"authors\":25,\"categories\":20,\"stories\":500,\"submissions\":100,"
                + "\"comments\":5000}\n");
    run("--jdbc-url", second);
    run("--jdbc-url", other, "--seed", "2");
    assertThat(digest(first)).isEqualTo(digest(second)).isNotEqualTo(digest(other));
  }

  @Test
  void rowsAreAsManyAsAskedForAndFitTogether() throws Exception {
    String url = postgres.createDatabase();
    Run run = run("--jdbc-url", url, "--users", "40", "--stories", "60", "--comments", "777");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(query(url, "select count(*) from users")).isEqualTo("40");
    assertThat(query(url, "select count(*) from users where access > 0")).isEqualTo("2");
    assertThat(query(url, "select count(*) || '/' || max(id) from stories")).isEqualTo("6/60");
    assertThat(query(url, "select count(*) || '/' || max(id) from old_stories")).isEqualTo("54/54");
    String comments = "(select * from comments union all select * from old_comments)";
    assertThat(query(url, "select count(*) || '/' || max(id) from " + comments + " c"))
        .isEqualTo("777/777");
    assertThat(
            query(url, "select count(*) from comments where story not in (select id from stories)"))
        .isEqualTo("0");
    assertThat(
            query(
                url,
                "select count(*) from "
                    + comments
                    + " c join "
                    + comments
                    + " p on p.id = c.parent where p.story <> c.story or p.id >= c.id"))
        .isEqualTo("0");
    assertThat(
            query(
                url,
                "select count(*) from "
                    + comments
                    + " p where children <> (select count(*) from "
                    + comments
                    + " c where c.parent = p.id)"))
        .isEqualTo("0");
    assertThat(query(url, "select nextval('comment_ids')")).isEqualTo("778");
  }

  @Test
  void replacesABoardOnlyIfAsked() throws Exception {
    String url = postgres.createDatabase();
    run("--jdbc-url", url);
    Run again = run("--jdbc-url", url);
    assertThat(again.code()).isEqualTo(2);
    assertThat(again.err()).hasLineCount(1).contains("already: --replace deletes it");
    assertThat(run("--jdbc-url", url, "--users", "21", "--replace").code()).isZero();
    assertThat(query(url, "select count(*) from users")).isEqualTo("21");
  }

  @Test
  void wrongOptionsGetALine() {
    assertThat(run("--jdbc-url", "x", "--size", "smal").err())
        .isEqualTo(
            "poolkeeper: unknown size 'smal'; did you mean 'small'? known: large, medium, small\n");
    assertThat(run("--jdbc-url", "mysql://x").err())
        .hasLineCount(1)
        .contains("jdbc-url must be a URL like jdbc:postgresql://");
    Run unreachable = run("--jdbc-url", "jdbc:postgresql://127.0.0.1:1/board");
    assertThat(unreachable.code()).isEqualTo(1);
    assertThat(unreachable.err()).hasLineCount(1).contains("cannot be used: Connection to");
  }

  @Test
  void sizesHaveBounds() {
    assertThatThrownBy(() -> new DataSize(19, 20, 20))
        .hasMessage("users must be within 20..100000000, but is 19");
    assertThatThrownBy(() -> new DataSize(20, 30, 29))
        .hasMessage("comments must be within 30..100000000, but is 29");
  }
}
