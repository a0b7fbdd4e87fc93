package io.poolkeeper.agroal;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration;
import io.agroal.api.configuration.AgroalDataSourceConfiguration;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.spi.TaskMeter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The connections of an {@link AgroalDataSource}, tuned while it is used.
 *
 * <pre>{@code
 * var connections = AgroalConnections.open("orders", configuration.get(), new Bounds(2, 40));
 * DataSource dataSource = connections.dataSource();
 * }</pre>
 *
 * <p>A task is the use of a connection: its queue wait is the time in {@code getConnection}, its
 * service time the time until the connection is closed. A time-out counts as a rejection once the
 * thread asks again, or a second later. Surplus connections are closed as they come back. Callers
 * that wait do not notice that the size rose: a helper borrows and returns, which wakes them.
 *
 * <p>Close the connections, not the data source: Agroal does not tell that it was closed.
 */
public final class AgroalConnections implements Resizable, Sensor, AutoCloseable {

  /** Nanoseconds for a caller to take the connection that came back. */
  private static final long PAUSE = 1_000_000;

  /** Names of open connections by their configurations, which hold the sizes. */
  private static final Map<AgroalConnectionPoolConfiguration, String> OPEN = new WeakHashMap<>();

  private final AgroalDataSource dataSource;
  private final AgroalConnectionPoolConfiguration settings;
  private final String name;
  private final Bounds bounds;
  private final int minimum;
  private final AtomicBoolean serving = new AtomicBoolean();
  private final Leases leases;
  private final TaskMeter meter;
  private final ControlLoop loop;

  private AgroalConnections(
      String name,
      AgroalDataSourceConfiguration configuration,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> loopSettings)
      throws SQLException {
    this.name = Objects.requireNonNull(name, "name must not be null");
    this.bounds = Objects.requireNonNull(bounds, "bounds must not be null");
    Objects.requireNonNull(configuration, "configuration must not be null");
    Objects.requireNonNull(objective, "objective must not be null");
    Objects.requireNonNull(loopSettings, "settings must not be null");
    settings = configuration.connectionPoolConfiguration();
    bounds.require("maxSize", settings.maxSize());
    minimum = settings.minSize();
    leases = new Leases();
    meter = new TaskMeter(objective, settings::maxSize, leases::waiting);
    leases.feed(meter);
    ControlLoop.Builder builder =
        ControlLoop.tune(this).controller(Controllers.forObjective(objective));
    loopSettings.accept(builder);
    claim();
    AgroalDataSource opened = null;
    try {
      opened = AgroalDataSource.from(configuration, leases);
      dataSource = opened;
      loop = builder.start();
    } catch (Throwable e) {
      if (opened != null) {
        opened.close();
      }
      release();
      throw e;
    }
  }

  /** Agroal's sizes are in the configuration, so two data sources would have the same. */
  private void claim() {
    synchronized (OPEN) {
      String other = OPEN.putIfAbsent(settings, name);
      if (other != null) {
        throw new IllegalStateException(
            "the configuration of '%s' is in use: close the connections '%s' first, or make another"
                .formatted(name, other));
      }
    }
  }

  private void release() {
    synchronized (OPEN) {
      OPEN.remove(settings, name);
    }
  }

  /** Opens a data source that is tuned for throughput. */
  public static AgroalConnections open(
      String name, AgroalDataSourceConfiguration configuration, Bounds bounds) throws SQLException {
    return open(name, configuration, bounds, Objective.throughput(), loop -> {});
  }

  /**
   * Opens a data source and tunes it. It begins with its {@code maxSize}.
   *
   * @param name name of the pool in logs, JFR and JMX, since Agroal's have none
   * @param bounds smallest and largest number of connections; the database must admit the largest
   * @param settings changes the description of the loop; the controller is that of the objective
   *     unless one is given here
   * @throws IllegalArgumentException if {@code maxSize} is out of bounds
   * @throws IllegalStateException if the configuration is that of connections that are open
   * @throws SQLException if Agroal cannot open it
   */
  public static AgroalConnections open(
      String name,
      AgroalDataSourceConfiguration configuration,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> settings)
      throws SQLException {
    return new AgroalConnections(name, configuration, bounds, objective, settings);
  }

  /** The data source. */
  public AgroalDataSource dataSource() {
    return dataSource;
  }

  /** The loop that tunes the connections. */
  public ControlLoop control() {
    return loop;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return settings.maxSize();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    bounds.require("size", size);
    settings.setMinSize(Math.min(minimum, size));
    settings.setMaxSize(size);
    serveWaiters();
  }

  /** Borrows and returns connections on a helper thread while callers wait and more may open. */
  private void serveWaiters() {
    if (mayServe() && serving.compareAndSet(false, true)) {
      Leases.Helper helper = new Leases.Helper(this::borrowWhileCallersWait);
      helper.start();
    }
  }

  private boolean mayServe() {
    return leases.waiting() > 0 && leases.inUse() < size();
  }

  @SuppressWarnings("try")
  private void borrowWhileCallersWait() {
    try {
      while (mayServe()) {
        try (Connection connection = dataSource.getConnection()) {
          Thread.onSpinWait(); // Its return wakes a caller.
        }
        LockSupport.parkNanos(PAUSE);
      }
    } catch (SQLException e) {
      // The database refuses, or the data source is closed; the next window tries again.
    } finally {
      serving.set(false);
    }
  }

  @Override
  public Window closeWindow(long now) {
    leases.timeOut(settings.acquisitionTimeout());
    serveWaiters();
    return meter.closeWindow(now);
  }

  /** Closes the data source and stops tuning. */
  @Override
  public void close() {
    dataSource.close();
    loop.close();
    release();
  }
}
