package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.ntier.database.Database;
import io.poolkeeper.testbed.ntier.database.DatabaseAddress;
import io.poolkeeper.testbed.ntier.interactions.Interactions;
import io.poolkeeper.testbed.ntier.measure.ConnectionMeter;
import io.poolkeeper.testbed.ntier.measure.RequestMeter;
import io.poolkeeper.testbed.ntier.web.BoardServlet;
import io.poolkeeper.tomcat.TomcatExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Globals;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ErrorReportValve;

/** The bulletin board on an embedded Tomcat, on the loopback interface. */
final class Board implements AutoCloseable {

  /** Numbers of threads that can be had. */
  static final Bounds THREADS = new Bounds(1, 2000);

  /** Time for the requests under way when the board stops. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  /** Kept, as the JDK forgets the level of a logger that nobody refers to. */
  private static final List<Logger> LOGGERS =
      List.of(Logger.getLogger("org.apache"), Logger.getLogger("com.zaxxer.hikari"));

  static {
    // They would log every start, and every broken connection with its stack.
    LOGGERS.forEach(logger -> logger.setLevel(Level.SEVERE));
  }

  private static final int CONNECTIONS = 10_000;
  private static final int BACKLOG = 1000;

  private final Tomcat tomcat = new Tomcat();
  private final TomcatExecutor executor;
  private final Database database;
  private final RequestMeter requests = new RequestMeter(System::nanoTime);
  private final ConnectionMeter connections = new ConnectionMeter(System::nanoTime);

  /**
   * Starts the board.
   *
   * @param port 0 for any that is free
   * @param patience how long a request waits for a connection to the database
   * @param tuning controllers of both pools, which are not asked before {@link #mode}
   * @param admission limits the requests that are worked on; empty for no limit
   * @throws IllegalArgumentException naming a size that is out of bounds
   * @throws SQLException if the database cannot be used, or holds no board
   * @throws BindException naming the port if it cannot be had
   */
  Board(
      int port,
      int threads,
      int size,
      DatabaseAddress address,
      Duration patience,
      PoolTuning tuning,
      Optional<SampleRule> admission)
      throws SQLException, IOException {
    THREADS.require("threads", threads);
    database =
        new Database(
            address,
            size,
            patience,
            connections,
            tuning.connectionObjective(),
            tuning.connections());
    // Tomcat makes folders there when it starts, and needs none of them: so a process that is
    // killed leaves none behind.
    Path folder = Files.createTempDirectory("poolkeeper-board");
    try {
      executor = configure(folder, port, threads, tuning, admission);
      tomcat.start();
      if (tomcat.getConnector().getState() != LifecycleState.STARTED) {
        throw new BindException("cannot listen on port " + port);
      }
    } catch (LifecycleException e) {
      close();
      throw cause(e) instanceof BindException
          ? new BindException("cannot listen on port %d: %s".formatted(port, cause(e).getMessage()))
          : new IOException("Tomcat does not start: " + cause(e).getMessage(), e);
    } catch (BindException e) {
      close();
      throw e;
    } finally {
      delete(folder);
    }
  }

  /**
   * Deletes the folder. Tomcat notes the first one of a process as its home, and would make it anew
   * for the next board of the process.
   */
  private static void delete(Path folder) {
    if (folder.toString().equals(System.getProperty(Globals.CATALINA_HOME_PROP))) {
      System.clearProperty(Globals.CATALINA_HOME_PROP);
    }
    try {
      Folders.delete(folder);
    } catch (IOException e) {
      System.err.println("poolkeeper: cannot delete " + e.getMessage());
    }
  }

  private static Throwable cause(Throwable of) {
    Throwable deepest = of;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest;
  }

  private TomcatExecutor configure(
      Path folder, int port, int threads, PoolTuning tuning, Optional<SampleRule> admission) {
    tomcat.setBaseDir(folder.toString());
    Connector connector = new Connector();
    connector.setPort(port);
    connector.setThrowOnFailure(true);
    connector.setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
    connector.setProperty("maxConnections", Integer.toString(CONNECTIONS));
    connector.setProperty("acceptCount", Integer.toString(BACKLOG));
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "60000");
    tomcat.setConnector(connector);
    TomcatExecutor pool =
        TomcatExecutor.install(
            connector,
            settings ->
                settings
                    .bounds(THREADS.minimum(), THREADS.maximum())
                    .initialSize(threads)
                    .objective(tuning.objective())
                    .controller(tuning.threads())
                    .mode(Mode.FROZEN));
    connector.getProtocolHandler().setExecutor(requests.measure(pool));
    ((StandardHost) tomcat.getHost()).setErrorReportValveClass(ShortErrors.class.getName());
    tomcat.getEngine().getPipeline().addValve(new RequestValve(requests));
    admission.ifPresent(
        rule ->
            tomcat.getEngine().getPipeline().addValve(new AdmissionValve(rule, System::nanoTime)));
    Context context = tomcat.addContext("", folder.toString());
    Tomcat.addServlet(context, "board", new BoardServlet(Interactions.all(), database));
    context.addServletMappingDecoded("/*", "board");
    return pool;
  }

  /** Tomcat's own answer to a request that is not HTTP: its status, without stack or version. */
  public static final class ShortErrors extends ErrorReportValve {
    /** Made by Tomcat. */
    public ShortErrors() {
      setShowReport(false);
      setShowServerInfo(false);
    }
  }

  int port() {
    return tomcat.getConnector().getLocalPort();
  }

  AdaptiveExecutor threads() {
    return executor.pool();
  }

  /** Sets the mode of the loops of both pools; frozen until then. */
  void mode(Mode mode) {
    threads().control().mode(mode);
    database.connections().control().mode(mode);
  }

  Database database() {
    return database;
  }

  RequestMeter requests() {
    return requests;
  }

  ConnectionMeter connections() {
    return connections;
  }

  /** Answers the requests under way, then gives all connections back. */
  @Override
  public void close() {
    try {
      tomcat.getConnector().pause();
      awaitIdle();
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      System.err.println("poolkeeper: while stopping: " + cause(e).getMessage());
    }
    database.close();
  }

  private void awaitIdle() {
    long deadline = System.nanoTime() + GRACE.toNanos();
    while (requests.threads().busy() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
