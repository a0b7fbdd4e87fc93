package io.poolkeeper.testbed.applications;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** Ways to a database: a new connection for each request, or a pool of them. */
public final class Connections {

  private static final long TIMEOUT_MILLIS = 5_000;

  private Connections() {}

  /**
   * A source of connections.
   *
   * @param jdbcUrl address of the database
   * @param mode {@code per-request}, or {@code pool:N} with at most N connections
   * @throws IllegalArgumentException naming what is wrong: the mode if it is neither, or the
   *     address if it is none of MariaDB
   * @throws SQLException if the address names an option that there is not
   */
  public static DataSource open(String jdbcUrl, String mode) throws SQLException {
    if (!jdbcUrl.startsWith("jdbc:mariadb://")) {
      throw new IllegalArgumentException(
          "jdbc-url must be an address such as jdbc:mariadb://127.0.0.1:3306/test, but is '"
              + jdbcUrl
              + "'");
    }
    if (mode.equals("per-request")) {
      return new MariaDbDataSource(jdbcUrl);
    }
    HikariConfig config = new HikariConfig();
    // Not by the address, which the JDK's list of drivers would be asked for: servers of web
    // applications take drivers out of that list when they load an application a second time.
    config.setDataSource(new MariaDbDataSource(jdbcUrl));
    config.setMaximumPoolSize(poolSize(mode));
    config.setConnectionTimeout(TIMEOUT_MILLIS);
    return new HikariDataSource(config);
  }

  /**
   * Checks how connections are made.
   *
   * @throws IllegalArgumentException naming the mode if it is neither {@code per-request} nor
   *     {@code pool:N}
   */
  public static void requireMode(String mode) {
    if (!mode.equals("per-request")) {
      poolSize(mode);
    }
  }

  private static int poolSize(String mode) {
    String size = mode.startsWith("pool:") ? mode.substring("pool:".length()) : "";
    try {
      int connections = Integer.parseInt(size);
      if (connections >= 1) {
        return connections;
      }
    } catch (NumberFormatException e) {
      // The same message serves for no number and for a wrong one.
    }
    throw new IllegalArgumentException(
        "connections must be per-request or pool:N with N >= 1, but is '" + mode + "'");
  }
}
