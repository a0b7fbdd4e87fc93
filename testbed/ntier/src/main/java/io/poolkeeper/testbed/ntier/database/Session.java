package io.poolkeeper.testbed.ntier.database;

import io.poolkeeper.testbed.ntier.measure.ConnectionMeter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The use of one connection by one request. Each statement begins with the id of the request as a
 * comment, so that the logs of the tiers behind can be matched with it. Statements stand alone
 * until {@link #begin}; a transaction that is not committed is rolled back by {@link #close}.
 */
public final class Session implements AutoCloseable {

  private final Connection connection;
  private final ConnectionMeter meter;
  private final String comment;
  private boolean inTransaction;

  Session(Connection connection, ConnectionMeter meter, String id) {
    this.connection = connection;
    this.meter = meter;
    comment = "/* " + id + " */ ";
  }

  /** Rows of a query; {@code ?} stand for the parameters. */
  public List<Row> query(String sql, Object... parameters) throws SQLException {
    long begun = meter.now();
    try (PreparedStatement statement = prepare(sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      return Row.all(rows);
    } finally {
      meter.roundTrip(begun);
    }
  }

  /** The first row of a query, if it has any. */
  public Optional<Row> first(String sql, Object... parameters) throws SQLException {
    return query(sql, parameters).stream().findFirst();
  }

  /** Changes rows and returns how many. */
  public int update(String sql, Object... parameters) throws SQLException {
    long begun = meter.now();
    try (PreparedStatement statement = prepare(sql, parameters)) {
      return statement.executeUpdate();
    } finally {
      meter.roundTrip(begun);
    }
  }

  private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(comment + sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  /** Begins a transaction, which the driver tells the database with its first statement. */
  public void begin() throws SQLException {
    connection.setAutoCommit(false);
    inTransaction = true;
  }

  /** Makes the changes since {@link #begin} permanent. */
  public void commit() throws SQLException {
    long begun = meter.now();
    try {
      connection.commit();
    } finally {
      meter.roundTrip(begun);
    }
    inTransaction = false;
    connection.setAutoCommit(true);
  }

  private void rollBack() throws SQLException {
    long begun = meter.now();
    try {
      connection.rollback();
    } finally {
      meter.roundTrip(begun);
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      if (inTransaction) {
        rollBack();
        connection.setAutoCommit(true);
      }
    } finally {
      try {
        connection.close();
      } finally {
        meter.giveBack();
      }
    }
  }
}
