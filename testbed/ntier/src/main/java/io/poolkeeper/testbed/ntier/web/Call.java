package io.poolkeeper.testbed.ntier.web;

import io.poolkeeper.testbed.ntier.database.Database;
import io.poolkeeper.testbed.ntier.database.Session;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;

/**
 * One request of a user.
 *
 * @param id trace id of the request
 */
public record Call(String id, Parameters parameters, Database database) {

  /** Queries and changes over one connection. */
  @FunctionalInterface
  public interface Work<T> {

    /** Returns what was found. */
    T in(Session session) throws SQLException;
  }

  /** Takes a connection for {@code work}, and gives it back. */
  public <T> T ask(Work<T> work) throws SQLException {
    try (Session session = database.open(id)) {
      return work.in(session);
    }
  }

  /** The same in a transaction: all of its changes are made, or none. */
  public <T> T change(Work<T> work) throws SQLException {
    try (Session session = database.open(id)) {
      session.begin();
      T found = work.in(session);
      session.commit();
      return found;
    }
  }

  /** Returns the time, which replicas of the database must not read from their own clocks. */
  public static Timestamp now() {
    return Timestamp.from(Instant.now());
  }
}
