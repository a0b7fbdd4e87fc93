package io.poolkeeper.hikari;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import io.poolkeeper.Bounds;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.FakeDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Installations that could not work, and their messages. */
@Timeout(300)
final class WrongUseTest {

  private static final Bounds BOUNDS = new Bounds(2, 40);

  private static HikariDataSource dataSource() {
    HikariDataSource dataSource = new HikariDataSource();
    dataSource.setDataSource(new FakeDatabase().dataSource());
    return dataSource;
  }

  /** Warnings that a tracker was lost. */
  private static final class Warnings extends Handler {
    final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord line) {
      if (line.getMessage().contains("a metrics tracker was set after the installation")) {
        all.add(line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void aDataSourceIsTunedOnce() throws Exception {
    try (HikariDataSource dataSource = dataSource()) {
      HikariConnections.install(dataSource, BOUNDS);
      assertTunedAlready("hikari", dataSource);
      dataSource.getConnection().close();
      assertTunedAlready(dataSource.getPoolName(), dataSource);
    }
  }

  private static void assertTunedAlready(String name, HikariDataSource dataSource) {
    assertThatThrownBy(() -> HikariConnections.install(dataSource, BOUNDS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "the connections of data source '%s' are tuned already: install once".formatted(name));
  }

  @Test
  void aClosedDataSourceIsRefused() {
    HikariDataSource dataSource = dataSource();
    dataSource.close();
    assertThatThrownBy(() -> HikariConnections.install(dataSource, BOUNDS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("data source 'hikari' is closed");
  }

  @Test
  void aTrackerThatComesAfterwardsEndsTheTuningAtTheFirstSize() throws Exception {
    Warnings warnings = new Warnings();
    Logger logger = Logger.getLogger("io.poolkeeper");
    Level before = logger.getLevel();
    logger.addHandler(warnings);
    logger.setLevel(Level.WARNING);
    try (HikariDataSource dataSource = dataSource()) {
      HikariConnections connections =
          HikariConnections.install(
              dataSource,
              BOUNDS,
              Objective.throughput(),
              loop ->
                  loop.controller(window -> Decision.towards(3, "three"))
                      .window(Duration.ofMillis(5)));
      Conditions.await("a decision", () -> connections.size() == 3);
      dataSource.setMetricsTrackerFactory((pool, stats) -> new IMetricsTracker() {});
      dataSource.getConnection().close();
      Conditions.await("the first size", () -> connections.size() == 10);
      connections.control().close();
      assertThat(connections.size()).isEqualTo(10);
      assertThat(warnings.all).hasSize(1).first().asString().endsWith("set it before");
    } finally {
      logger.setLevel(before);
      logger.removeHandler(warnings);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() {
    try (HikariDataSource dataSource = dataSource()) {
      assertThatThrownBy(() -> HikariConnections.install(null, BOUNDS))
          .hasMessage("dataSource must not be null");
      assertThatThrownBy(() -> HikariConnections.install(dataSource, null))
          .hasMessage("bounds must not be null");
    }
  }
}
