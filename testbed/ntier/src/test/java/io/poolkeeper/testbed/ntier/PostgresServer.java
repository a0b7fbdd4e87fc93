package io.poolkeeper.testbed.ntier;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.commands.HeldPort;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL in a temporary folder, which it leaves nothing of. As root it runs as the user
 * postgres, since PostgreSQL refuses to run as root.
 */
public final class PostgresServer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final boolean ROOT = System.getProperty("user.name").equals("root");
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private static @Nullable PostgresServer shared;

  private final Path programs;
  private final Path folder;

  /** Kept while the server is made and while it is stopped. */
  private final HeldPort port = new HeldPort(0);

  private Process process;

  private PostgresServer(Path programs) throws IOException, InterruptedException {
    this.programs = programs;
    folder = Files.createTempDirectory("poolkeeper-postgres");
    if (ROOT) {
      run("chown", "postgres", folder.toString());
    }
    run(
        programs + "/initdb",
        "--no-sync",
        "--auth=trust",
        "--username=postgres",
        "--encoding=UTF8",
        "--locale=C",
        "--pgdata=" + folder.resolve("data"));
    process = begin();
    awaitReady();
  }

  /** Starts a server, or skips the test where PostgreSQL is not installed. */
  public static PostgresServer start() throws IOException, InterruptedException {
    Optional<Path> found = programs();
    assumeTrue(found.isPresent(), "PostgreSQL is not installed; on Debian: postgresql");
    return new PostgresServer(found.orElseThrow());
  }

  /** Returns the server that tests share which do not stop it; it ends with the JVM. */
  public static synchronized PostgresServer shared() throws IOException, InterruptedException {
    if (shared == null) {
      PostgresServer started = start();
      Runtime.getRuntime().addShutdownHook(new Thread(started::close));
      shared = started;
    }
    return shared;
  }

  private static Optional<Path> programs() throws IOException {
    Path debian = Path.of("/usr/lib/postgresql");
    List<Path> folders = new ArrayList<>();
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      folders.add(Path.of(folder));
    }
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions
            .sorted(Comparator.reverseOrder())
            .forEach(each -> folders.add(each.resolve("bin")));
      }
    }
    return folders.stream().filter(each -> Files.isExecutable(each.resolve("initdb"))).findFirst();
  }

  private Process begin() throws IOException {
    return builder(
            programs + "/postgres",
            "-D",
            folder.resolve("data").toString(),
            "-p",
            Integer.toString(port.number()),
            "-k",
            folder.toString(),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "fsync=off",
            "-c",
            "max_connections=50",
            "-c",
            "log_statement=all")
        .start();
  }

  private ProcessBuilder builder(String... command) {
    List<String> all = new ArrayList<>();
    if (ROOT && !command[0].equals("chown")) {
      all.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
    }
    all.addAll(List.of(command));
    return new ProcessBuilder(all)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
  }

  private void run(String... command) throws IOException, InterruptedException {
    if (builder(command).start().waitFor() != 0) {
      throw new IOException(command[0] + " failed: " + Files.readString(log()));
    }
  }

  /** The log of the server, with every statement. */
  public Path log() {
    return folder.resolveSibling(folder.getFileName() + ".log");
  }

  private void awaitReady() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        DriverManager.getConnection(url("postgres"), "postgres", null).close();
        return;
      } catch (SQLException e) {
        if (System.nanoTime() > deadline || !process.isAlive()) {
          throw new IOException("PostgreSQL does not start: " + Files.readString(log()), e);
        }
        Thread.sleep(20);
      }
    }
  }

  /** Makes an empty database and returns its URL. */
  public String createDatabase() throws SQLException {
    String name = "board" + DATABASES.incrementAndGet();
    try (Connection connection = DriverManager.getConnection(url("postgres"), "postgres", null);
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    }
    return url(name);
  }

  private String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port.number() + "/" + database;
  }

  /** Stops the server as at a shutdown of its machine: connections are cut. */
  public void stop() throws InterruptedException {
    // SIGINT is PostgreSQL's fast shutdown; Process can send SIGTERM and SIGKILL alone.
    try {
      new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      process.destroyForcibly();
    }
    process.waitFor();
  }

  /** Starts it again on the same port. */
  public void startAgain() throws IOException, InterruptedException {
    process = begin();
    awaitReady();
  }

  @Override
  public void close() {
    try {
      stop();
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      }
      Files.deleteIfExists(log());
      port.close();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
