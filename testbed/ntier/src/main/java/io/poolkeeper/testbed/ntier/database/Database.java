package io.poolkeeper.testbed.ntier.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.hikari.HikariConnections;
import io.poolkeeper.testbed.ntier.measure.ConnectionMeter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The board's database behind a pool of connections, which can be resized while it is used. */
public final class Database implements AutoCloseable {

  /** Numbers of connections that can be had. */
  public static final Bounds BOUNDS = new Bounds(1, 1000);

  private final HikariDataSource source;
  private final HikariConnections connections;
  private final ConnectionMeter meter;

  /**
   * Opens the pool and its first connection; the others follow.
   *
   * @param size connections
   * @param patience how long a caller waits for a connection
   * @param objective of the uses of connections
   * @param controller decides about the size once its loop is active; it begins frozen
   * @throws IllegalArgumentException if {@code size} is out of bounds, or the URL is wrong
   * @throws SQLException if the database cannot be used, or holds no board; the message names it
   */
  public Database(
      DatabaseAddress address,
      int size,
      Duration patience,
      ConnectionMeter meter,
      Objective objective,
      Controller controller)
      throws SQLException {
    this.meter = meter;
    BOUNDS.require("connections", size);
    try (Connection connection = address.connect();
        var statement = connection.createStatement()) {
      statement.executeQuery("select 1 from stories limit 1").close();
    } catch (SQLException e) {
      if ("42P01".equals(e.getSQLState())) {
        throw new SQLException(
            "database %s holds no bulletin board: fill it with DataMain".formatted(address.url()),
            e);
      }
      throw e;
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("connections");
    config.setJdbcUrl(address.url());
    config.setUsername(address.user());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(patience.toMillis());
    // Every statement has another comment, so none is ever sent twice; and a pool between us and
    // the database that changes connections with transactions would not find a prepared one.
    config.addDataSourceProperty("prepareThreshold", "0");
    config.addDataSourceProperty("preparedStatementCacheQueries", "0");
    config.addDataSourceProperty("ApplicationName", "board");
    // The first connection is checked above; a later one may fail, and be there again.
    config.setInitializationFailTimeout(-1);
    source = new HikariDataSource();
    config.copyStateTo(source);
    try {
      connections =
          HikariConnections.install(
              source, BOUNDS, objective, loop -> loop.mode(Mode.FROZEN).controller(controller));
      // Hikari opens its pool with the first connection; no request should have to wait for that.
      source.getConnection().close();
    } catch (SQLException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  /**
   * Takes a connection.
   *
   * @param id of the request, which stands in front of its statements
   * @throws SQLException if there is none in time
   */
  public Session open(String id) throws SQLException {
    meter.ask();
    Connection connection;
    try {
      connection = source.getConnection();
    } catch (SQLException | RuntimeException e) {
      meter.giveUp();
      throw e;
    }
    meter.take();
    return new Session(connection, meter, id);
  }

  /** The connections, to be resized. */
  public HikariConnections connections() {
    return connections;
  }

  /** Closes all connections. */
  @Override
  public void close() {
    source.close();
  }
}
