package io.poolkeeper.hikari;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.spi.TaskMeter;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a {@link HikariDataSource}, tuned while it is used. Works with HikariCP 6 and
 * 7.
 *
 * <pre>{@code
 * var dataSource = new HikariDataSource();
 * dataSource.setJdbcUrl(url);
 * HikariConnections.install(dataSource, new Bounds(2, 40));
 * }</pre>
 *
 * <p>A task is the use of a connection: its queue wait is the time in {@code getConnection}, its
 * service time the time until the connection is closed. A time-out counts as a rejection. Hikari
 * does not say whether statements failed.
 *
 * <p><b>Resizing.</b> Hikari opens a connection only when somebody asks for one, and closes none
 * while they are in use. {@link #resize} makes up for both: while callers wait it has connections
 * opened until the size is reached, and it takes surplus connections out of the pool as they come
 * back. Meanwhile, the size of a window is the number of connections that there were. {@code
 * minimumIdle} goes with the size where it was the maximum, and is at most the size where it was
 * less.
 *
 * <p><b>Metrics.</b> A metrics tracker of the data source, Micrometer's for example, goes on
 * working if it was set before the installation. Tuning ends when the data source is closed.
 */
public final class HikariConnections implements Resizable, Sensor {

  /** Hikari's size where none is set. */
  private static final int DEFAULT_SIZE = 10;

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private final HikariDataSource dataSource;
  private final String name;
  private final Bounds bounds;

  /** Connections that Hikari keeps idle at least; negative for as many as there are at most. */
  private final int minimumIdle;

  /** Size before the first decision. */
  private final int firstSize;

  private final TaskMeter meter;
  private final Adjustment adjustment;
  private volatile @Nullable Trackers trackers;
  private volatile @Nullable ControlLoop loop;

  /** Connections that were open when the last window closed. Of the loop's thread. */
  private int openBefore;

  private HikariConnections(
      String name, HikariDataSource dataSource, Bounds bounds, Objective objective) {
    this.name = name;
    this.dataSource = dataSource;
    this.bounds = bounds;
    int size = size();
    int idle = dataSource.getMinimumIdle();
    minimumIdle = idle >= size ? -1 : idle;
    firstSize = size;
    adjustment = new Adjustment(this);
    meter = new TaskMeter(objective, this::size, this::waiting);
  }

  /**
   * Tunes a data source for throughput. See {@link #install(HikariDataSource, Bounds, Objective,
   * Consumer)}.
   */
  public static HikariConnections install(HikariDataSource dataSource, Bounds bounds) {
    return install(dataSource, bounds, Objective.throughput(), loop -> {});
  }

  /** Tunes a data source under the name of its pool, or as {@code hikari} if it has none yet. */
  public static HikariConnections install(
      HikariDataSource dataSource,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> settings) {
    Objects.requireNonNull(dataSource, "dataSource must not be null");
    String name = Objects.requireNonNullElse(dataSource.getPoolName(), "hikari");
    return install(name, dataSource, bounds, objective, settings);
  }

  /**
   * Tunes a data source. It begins with its {@code maximumPoolSize}.
   *
   * @param name name in logs, JFR, JMX and meters; Hikari's own metrics keep that of its pool
   * @param bounds smallest and largest number of connections; the database must admit the largest
   * @param settings changes the description of the loop; the controller is that of the objective
   *     unless one is given here
   * @throws IllegalArgumentException if {@code maximumPoolSize} is out of bounds
   * @throws IllegalStateException if the pool has started with a metrics tracker, since Hikari
   *     takes no other one then; if it has a metric registry in place of a tracker; or if the data
   *     source is closed, or tuned already
   */
  public static HikariConnections install(
      String name,
      HikariDataSource dataSource,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> settings) {
    Objects.requireNonNull(name, "name must not be null");
    Objects.requireNonNull(dataSource, "dataSource must not be null");
    Objects.requireNonNull(bounds, "bounds must not be null");
    Objects.requireNonNull(objective, "objective must not be null");
    Objects.requireNonNull(settings, "settings must not be null");
    requireTrackable(name, dataSource);
    HikariConnections connections = new HikariConnections(name, dataSource, bounds, objective);
    bounds.require("maximumPoolSize", connections.size());
    ControlLoop.Builder builder =
        ControlLoop.tune(connections).controller(Controllers.forObjective(objective));
    settings.accept(builder);
    connections.loop = builder.start();
    Trackers trackers =
        new Trackers(connections.meter, dataSource.getMetricsTrackerFactory(), connections::end);
    dataSource.setMetricsTrackerFactory(trackers);
    connections.trackers = trackers;
    return connections;
  }

  private static void requireTrackable(String name, HikariDataSource dataSource) {
    if (dataSource.isClosed()) {
      throw new IllegalStateException("data source '%s' is closed".formatted(name));
    }
    if (dataSource.getMetricsTrackerFactory() instanceof Trackers) {
      throw new IllegalStateException(
          "the connections of data source '%s' are tuned already: install once".formatted(name));
    }
    if (dataSource.getMetricRegistry() != null) {
      throw new IllegalStateException(
          "the data source has a metric registry: call setMetricsTrackerFactory("
              + "new MicrometerMetricsTrackerFactory(registry)) in place of setMetricRegistry");
    }
    if (dataSource.getMetricsTrackerFactory() != null && dataSource.isRunning()) {
      throw new IllegalStateException(
          "pool '%s' has started with a metrics tracker: install before the first connection"
              .formatted(name));
    }
  }

  /** The loop that tunes the connections. */
  public ControlLoop control() {
    return Objects.requireNonNull(loop, "the loop has started");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    int size = dataSource.getMaximumPoolSize();
    return size < 1 ? DEFAULT_SIZE : size; // Before the start of the pool it may be unset.
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    bounds.require("size", size);
    dataSource.setMaximumPoolSize(size);
    dataSource.setMinimumIdle(minimumIdle < 0 ? size : Math.min(minimumIdle, size));
    adjustment.begin();
  }

  @Override
  public Window closeWindow(long now) {
    if (dataSource.isClosed()) { // Before it had a pool, or nobody has told.
      end();
    } else if (unmeasured()) {
      giveUp();
    }
    adjustment.begin(); // The database may have refused connections, or callers begun to wait.
    int open = open();
    Window window = meter.closeWindow(now);
    Window sized = window.toBuilder().size(sizeInForce(window, openBefore, open)).build();
    openBefore = open;
    return sized;
  }

  /**
   * Returns the connections that there were for callers: Hikari opens them one after the other, and
   * those in use close once they come back. On the way to the size, as many as were in use.
   */
  private static int sizeInForce(Window window, int before, int now) {
    int size = window.size();
    int least = Math.min(before, now);
    int most = Math.max(before, now);
    boolean onTheWay = most > size || (least < size && window.queueMax() > 0);
    return onTheWay
        ? (int) Math.max(Math.max(1, least), Math.min(most, Math.ceil(window.busy())))
        : size;
  }

  /** Whether the pool runs with a tracker that somebody has set in place of that of the meter. */
  private boolean unmeasured() {
    Trackers installed = trackers;
    return installed != null && pool() != null && !installed.used();
  }

  /** Ends the tuning: without measurements, the pool would shrink to its smallest size. */
  private void giveUp() {
    trackers = null; // The last window does not tell it again.
    LOG.log(
        Level.WARNING,
        "%s: a metrics tracker was set after the installation, so nothing is measured and the size"
                .formatted(name)
            + " is not tuned: set it before");
    if (control().mode() == Mode.ACTIVE) {
      resize(firstSize);
    }
    end();
  }

  private void end() {
    adjustment.end();
    ControlLoop running = loop;
    if (running != null) {
      running.close();
    }
  }

  /** Milliseconds for which a caller waits for a connection. */
  long patience() {
    return dataSource.getConnectionTimeout();
  }

  /** Connections that Hikari keeps idle, if it can. */
  int minimumIdle() {
    return dataSource.getMinimumIdle();
  }

  /** The pool behind the data source; null until it is used. */
  @Nullable HikariPool pool() {
    return (HikariPool) dataSource.getHikariPoolMXBean();
  }

  /** Connections that are open, idle ones included. */
  private int open() {
    HikariPool pool = pool();
    return pool == null ? 0 : pool.getTotalConnections();
  }

  /** Callers that wait for a connection. */
  private int waiting() {
    HikariPool pool = pool();
    return pool == null
        ? 0
        : Math.max(0, pool.getThreadsAwaitingConnection() - adjustment.waiting());
  }
}
