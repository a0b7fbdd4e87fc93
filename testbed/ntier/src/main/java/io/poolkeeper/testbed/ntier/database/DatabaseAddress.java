package io.poolkeeper.testbed.ntier.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;
import picocli.CommandLine.Option;

/** Options of a command that name a PostgreSQL database. */
public final class DatabaseAddress {

  private static final String EXAMPLE = "jdbc:postgresql://127.0.0.1:5432/board";

  @Option(
      names = "--jdbc-url",
      required = true,
      paramLabel = "URL",
      description = "The database, such as " + EXAMPLE)
  private String url = "";

  @Option(
      names = "--jdbc-user",
      defaultValue = "postgres",
      paramLabel = "USER",
      description = "User of the database, unless the URL names one. Default: ${DEFAULT-VALUE}")
  private String user = "postgres";

  /** The URL. */
  public String url() {
    return url;
  }

  /** The user. */
  public String user() {
    return user;
  }

  /**
   * Opens a connection.
   *
   * @throws IllegalArgumentException if the URL is not one of PostgreSQL
   * @throws SQLException if the database cannot be reached; the message names the URL
   */
  public Connection connect() throws SQLException {
    if (Driver.parseURL(url, new Properties()) == null) {
      throw new IllegalArgumentException(
          "jdbc-url must be a URL like %s, but is '%s'".formatted(EXAMPLE, url));
    }
    Properties properties = new Properties();
    properties.setProperty("user", user);
    try {
      return DriverManager.getConnection(url, properties);
    } catch (SQLException e) {
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("it says nothing");
      throw new SQLException(
          "database %s cannot be used: %s".formatted(url, reason), e.getSQLState(), e);
    }
  }
}
