package io.poolkeeper.testbed.servers;

import io.poolkeeper.testbed.applications.mariadb.Database;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A MariaDB that a server starts for itself and stops when it ends. If MariaDB dies before, so does
 * the server's process, with exit code 1.
 */
final class EmbeddedDatabase implements AutoCloseable {

  /** Held, since a logger that nobody holds forgets its level. */
  private static final Logger LIBRARY = Logger.getLogger("ch.vorburger");

  private final Database database;
  private final AtomicBoolean closed;

  private EmbeddedDatabase(Database database, AtomicBoolean closed) {
    this.database = database;
    this.closed = closed;
  }

  /**
   * Starts it, which takes some seconds, and says so on standard error.
   *
   * @param application the one that needs it
   * @throws IOException if it does not start; the message says why
   */
  static EmbeddedDatabase start(String application) throws IOException {
    System.err.println(
        "poolkeeper: "
            + application
            + " needs a database and --jdbc-url names none: starting a MariaDB …");
    LIBRARY.setLevel(Level.WARNING);
    Database database = Database.start();
    System.err.printf(
        "poolkeeper: MariaDB serves on port %d, with an empty database; it ends with this server%n",
        database.port());
    AtomicBoolean closed = new AtomicBoolean();
    database.onDeath(
        () -> {
          // A signal from a terminal reaches MariaDB as well, which may end before it is closed.
          if (!closed.get()) {
            System.err.println("poolkeeper: MariaDB has died");
            System.exit(1);
          }
        });
    return new EmbeddedDatabase(database, closed);
  }

  /** Address for JDBC. */
  String jdbcUrl() {
    return database.jdbcUrl();
  }

  /** Process of MariaDB. */
  long pid() {
    return database.pid();
  }

  /** Notes that the server ends: the end of MariaDB is no news from now on. */
  void expectEnd() {
    closed.set(true);
  }

  @Override
  public void close() {
    expectEnd();
    database.close();
  }
}
