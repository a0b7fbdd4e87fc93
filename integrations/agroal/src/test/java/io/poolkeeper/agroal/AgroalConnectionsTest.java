package io.poolkeeper.agroal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agroal.api.configuration.AgroalDataSourceConfiguration;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.FakeDatabase;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import io.poolkeeper.testkit.WindowSums;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The kit on Agroal. */
final class AgroalConnectionsTest extends HostKit {

  private static final FakeDatabase DATABASE = new FakeDatabase();

  @Override
  protected AgroalHost start(int size) throws Exception {
    return new AgroalHost(size);
  }

  /** The class that Agroal makes connections with. */
  public static final class Source implements DataSource {

    private final DataSource source = DATABASE.dataSource();

    @Override
    public Connection getConnection() throws SQLException {
      return source.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      return source.getConnection();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
      return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLException("no wrapper");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }

  private static AgroalDataSourceConfiguration configuration(int size) {
    return configuration(size, 0);
  }

  private static AgroalDataSourceConfiguration configuration(int size, int initialSize) {
    return new AgroalDataSourceConfigurationSupplier()
        .metricsEnabled(true)
        .connectionPoolConfiguration(
            pool ->
                pool.maxSize(size)
                    .initialSize(initialSize)
                    .acquisitionTimeout(Duration.ofMinutes(5))
                    .connectionFactoryConfiguration(
                        factory -> factory.connectionProviderClass(Source.class)))
        .get();
  }

  /** A data source in use. */
  private static final class AgroalHost implements Host {
    final int size;
    AgroalConnections connections;

    AgroalHost(int size) throws SQLException {
      this.size = size;
      connections = open();
    }

    private AgroalConnections open() throws SQLException {
      return AgroalConnections.open(
          "orders",
          configuration(size),
          BOUNDS,
          Objective.throughput(),
          loop -> loop.mode(Mode.FROZEN).window(WINDOW));
    }

    @Override
    public Resizable pool() {
      return connections;
    }

    @Override
    public ControlLoop loop() {
      return connections.control();
    }

    @Override
    @SuppressWarnings("try")
    public void call(Runnable work) throws Exception {
      try (Connection connection = connections.dataSource().getConnection()) {
        work.run();
      }
    }

    @Override
    public int capacity() {
      var metrics = connections.dataSource().getMetrics();
      return (int) (metrics.activeCount() + metrics.availableCount());
    }

    @Override
    public OptionalInt reportedSize() {
      return OptionalInt.of(
          connections.dataSource().getConfiguration().connectionPoolConfiguration().maxSize());
    }

    @Override
    public void restart() throws Exception {
      connections.close();
      connections = open();
    }

    @Override
    public void close() {
      connections.close();
    }
  }

  @Test
  void timeoutCountsAsRejection() throws Exception {
    try (AgroalHost host = start(1);
        HostLoad load = new HostLoad(host, 1)) {
      load.awaitInside(1);
      // Only now: to open the connection takes a busy machine longer.
      host.connections
          .dataSource()
          .getConfiguration()
          .connectionPoolConfiguration()
          .setAcquisitionTimeout(Duration.ofMillis(50));
      WindowSums sums = WindowSums.of(host.loop());
      assertThatThrownBy(() -> host.call(() -> {})).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> host.call(() -> {})).isInstanceOf(SQLException.class);
      Conditions.await("both are rejected", () -> sums.rejections() == 2);
    }
  }

  @Test
  void minimumIsNeverAboveTheSize() throws Exception {
    try (AgroalHost host = start(4)) {
      var settings = host.connections.dataSource().getConfiguration().connectionPoolConfiguration();
      host.connections.resize(1);
      assertThat(settings.minSize()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void loopRunsOnQuietlyWhereTheDataSourceWasClosedByHand() throws Exception {
    try (AgroalHost host = start(4)) {
      host.call(() -> {});
      host.connections.dataSource().close();
      WindowSums sums = WindowSums.of(host.loop());
      Conditions.await("windows close", () -> sums.windows() > 3);
      host.connections.resize(2);
      assertThat(host.connections.size()).isEqualTo(2);
      assertThatThrownBy(() -> host.call(() -> {})).isInstanceOf(SQLException.class);
    }
  }

  @Test
  void sizeOutOfBoundsIsRefused() {
    assertThatThrownBy(() -> AgroalConnections.open("orders", configuration(4), new Bounds(6, 9)))
        .hasMessage("maxSize must be within 6..9, but is 4");
  }

  @Test
  void aConfigurationServesOneDataSourceAtATime() throws SQLException {
    AgroalDataSourceConfiguration configuration = configuration(4);
    try (AgroalConnections first = AgroalConnections.open("orders", configuration, BOUNDS)) {
      assertThatThrownBy(() -> AgroalConnections.open("mails", configuration, BOUNDS))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the configuration of 'mails' is in use: close the connections 'orders' first, or make"
                  + " another");
      assertThat(first.dataSource().isHealthy(false)).isTrue();
    }
    AgroalConnections.open("mails", configuration, BOUNDS).close();
  }

  /** Refuses all bounds, once the data source has opened two connections. */
  private static final class Refusing implements Controller {

    @Override
    public Decision decide(Window window) {
      return Decision.keep(window, "never asked");
    }

    @Override
    public void requireBounds(Bounds bounds) {
      Conditions.await("two connections", () -> DATABASE.open() == 2);
      throw new IllegalArgumentException("as planned");
    }
  }

  @Test
  void aLoopThatCannotStartLeavesNoConnectionsOpen() throws SQLException {
    AgroalDataSourceConfiguration configuration = configuration(4, 2);
    assertThatThrownBy(
            () ->
                AgroalConnections.open(
                    "orders",
                    configuration,
                    BOUNDS,
                    Objective.throughput(),
                    loop -> loop.controller(new Refusing())))
        .hasMessage("as planned");
    Conditions.await("no connection is open", () -> DATABASE.open() == 0);
    AgroalConnections.open("orders", configuration, BOUNDS).close();
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() {
    assertThatThrownBy(() -> AgroalConnections.open(null, configuration(4), BOUNDS))
        .hasMessage("name must not be null");
    assertThatThrownBy(() -> AgroalConnections.open("orders", configuration(4), null))
        .hasMessage("bounds must not be null");
  }
}
