package io.poolkeeper.hikari;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.FakeDatabase;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import io.poolkeeper.testkit.WindowSums;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The kit on HikariCP, and what Hikari does in its own way. */
final class HikariConnectionsTest extends HostKit {

  @Override
  protected HikariHost start(int size) throws Exception {
    return new HikariHost(size, null, 300_000);
  }

  /** A data source that can have the helper pause which opens connections. */
  private static final class PausingDataSource extends HikariDataSource {
    private volatile boolean pausing;
    private volatile boolean paused;

    @Override
    public int getMaximumPoolSize() {
      if (pausing && Thread.currentThread().getName().equals("poolkeeper-hikari-grow")) {
        paused = true;
        Conditions.await("the test goes on", () -> !pausing);
      }
      return super.getMaximumPoolSize();
    }
  }

  /** A data source in use, and its database. */
  private static final class HikariHost implements Host {
    final FakeDatabase database = new FakeDatabase();
    final int size;
    final long patience;
    final @Nullable MetricsTrackerFactory metrics;
    final Supplier<HikariDataSource> sources;
    HikariDataSource dataSource;
    HikariConnections connections;

    HikariHost(int size, @Nullable MetricsTrackerFactory metrics, long patience) throws Exception {
      this(size, metrics, patience, HikariDataSource::new);
    }

    HikariHost(
        int size,
        @Nullable MetricsTrackerFactory metrics,
        long patience,
        Supplier<HikariDataSource> sources)
        throws Exception {
      this.patience = patience;
      this.size = size;
      this.metrics = metrics;
      this.sources = sources;
      open();
    }

    private void open() throws Exception {
      dataSource = sources.get();
      dataSource.setDataSource(database.dataSource());
      dataSource.setMaximumPoolSize(size);
      dataSource.setConnectionTimeout(patience);
      dataSource.setRegisterMbeans(true);
      dataSource.setPoolName("test");
      if (metrics != null) {
        dataSource.setMetricsTrackerFactory(metrics);
      }
      connections =
          HikariConnections.install(
              dataSource,
              BOUNDS,
              Objective.throughput(),
              loop -> loop.mode(Mode.FROZEN).window(WINDOW));
      call(() -> {}); // The pool begins with its first connection.
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
      try (Connection connection = dataSource.getConnection()) {
        work.run();
      }
    }

    @Override
    public int capacity() {
      return dataSource.getHikariPoolMXBean().getTotalConnections();
    }

    @Override
    public OptionalInt reportedSize() throws Exception {
      return OptionalInt.of(
          (Integer)
              ManagementFactory.getPlatformMBeanServer()
                  .getAttribute(
                      new ObjectName("com.zaxxer.hikari:type=PoolConfig (test)"),
                      "MaximumPoolSize"));
    }

    @Override
    public void restart() throws Exception {
      dataSource.close();
      open();
    }

    @Override
    public void close() {
      dataSource.close();
    }
  }

  @Test
  void testsRunOnTheVersionThatTheBuildNames() {
    String jar = HikariDataSource.class.getProtectionDomain().getCodeSource().toString();
    assertThat(jar).contains("HikariCP-" + System.getProperty("hikari.version"));
  }

  @Test
  void shrinkingClosesTheSurplusAndReconnectsNothing() throws Exception {
    try (HikariHost host = start(8);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(8);
      host.connections.resize(3);
      load.flow();
      Conditions.await("three connections", () -> host.database.open() == 3);
      load.awaitAnswers(50);
      assertThat(host.database.opened()).isEqualTo(8);
      assertThat(host.dataSource.getMinimumIdle()).isEqualTo(3);
    }
  }

  @Test
  void minimumIdleBelowTheSizeStays() throws Exception {
    try (HikariDataSource dataSource = new HikariDataSource()) {
      dataSource.setMaximumPoolSize(8);
      dataSource.setMinimumIdle(2);
      HikariConnections connections = HikariConnections.install(dataSource, BOUNDS);
      connections.resize(12);
      assertThat(dataSource.getMinimumIdle()).isEqualTo(2);
      connections.resize(1);
      assertThat(dataSource.getMinimumIdle()).isEqualTo(1);
      connections.resize(5);
      assertThat(dataSource.getMinimumIdle()).isEqualTo(2);
    }
  }

  @Test
  void databaseThatRefusesMoreConnectionsIsAskedAgain() throws Exception {
    try (HikariHost host = start(2);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(2);
      host.database.admit(4);
      host.connections.resize(8);
      load.awaitInside(4);
      host.database.admit(20);
      load.awaitInside(8);
      load.requireNoFailure();
    }
  }

  /** Warnings that the size of 8 cannot be reached. */
  private static final class Warnings extends Handler implements AutoCloseable {
    final List<String> all = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("io.poolkeeper");
    private final Level before = logger.getLevel();

    Warnings() {
      logger.addHandler(this);
      logger.setLevel(Level.WARNING);
    }

    @Override
    public void publish(LogRecord line) {
      if (line.getMessage().startsWith("test: the size is 8,")) {
        all.add(line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.setLevel(before);
      logger.removeHandler(this);
    }
  }

  private static final String BEYOND_FOUR =
      "test: the size is 8, but callers wait and no connection beyond 4 could be opened"
          + " for 1 s: where the database admits no more, lower the largest size to 4"
          + " (Spring Boot: poolkeeper.pools.test.max)";

  @Test
  void sizeThatTheDatabaseDoesNotAdmitIsToldWithTheProperty() throws Exception {
    try (Warnings warnings = new Warnings();
        HikariHost host = start(2);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(2);
      host.database.admit(4);
      host.connections.resize(4);
      load.awaitInside(4); // Before it cannot grow: a busy machine takes its time to open them.
      host.connections.resize(8);
      Conditions.await("a warning", () -> !warnings.all.isEmpty());
      assertThat(warnings.all).containsExactly(BEYOND_FOUR);
      load.flow(); // The service runs on.
      load.awaitAnswers(50);
      load.requireNoFailure();
    }
  }

  /** The helper saw three connections and a size of 4, and goes on with four and a size of 8. */
  @Test
  void helperThatPausesTellsOfTheConnectionsThatThereAreAfterwards() throws Exception {
    PausingDataSource source = new PausingDataSource();
    try (Warnings warnings = new Warnings();
        HikariHost host = new HikariHost(2, null, 300_000, () -> source);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(2);
      host.database.admit(3);
      host.connections.resize(4);
      load.awaitInside(3);
      source.pausing = true;
      Conditions.await("the helper pauses", () -> source.paused);
      long began = System.nanoTime();
      host.database.admit(4);
      Objects.requireNonNull(host.connections.pool()).addBagItem(1);
      load.awaitInside(4);
      host.connections.resize(8);
      Conditions.await(
          "longer than it is patient", () -> System.nanoTime() - began > 1_000_000_000);
      source.pausing = false;
      Conditions.await("a warning", () -> !warnings.all.isEmpty());
      assertThat(warnings.all).containsExactly(BEYOND_FOUR);
    }
  }

  @Test
  void metricsOfAnotherTrackerGoOnAndHelpersAreNotCounted() throws Exception {
    AtomicLong acquired = new AtomicLong();
    AtomicLong used = new AtomicLong();
    AtomicLong timeouts = new AtomicLong();
    MetricsTrackerFactory metrics =
        (pool, stats) ->
            new IMetricsTracker() {
              @Override
              public void recordConnectionAcquiredNanos(long nanos) {
                acquired.incrementAndGet();
              }

              @Override
              public void recordConnectionUsageMillis(long millis) {
                used.incrementAndGet();
              }

              @Override
              public void recordConnectionTimeout() {
                timeouts.incrementAndGet();
              }
            };
    try (HikariHost host = new HikariHost(8, metrics, 300_000)) {
      long answered;
      try (HostLoad load = new HostLoad(host, 12)) {
        load.awaitInside(8);
        WindowSums sums = WindowSums.of(host.loop());
        host.connections.resize(2);
        // Nothing comes back meanwhile, so a helper looks in vain.
        Conditions.await("windows close", () -> sums.windows() > 3);
        assertThat(sums.rejections()).isZero();
        load.flow();
        Conditions.await("two connections", () -> host.capacity() == 2);
        load.end();
        answered = load.answered();
      }
      assertThat(acquired).hasValue(answered + 1); // The first one opened the pool.
      assertThat(used).hasValue(answered + 1);
      assertThat(timeouts).hasValue(0);
    }
  }

  @Test
  void windowsHoldTheConnectionsThatThereAreOnTheWayDown() throws Exception {
    try (HikariHost host = start(8);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(8);
      WindowSums sums = WindowSums.of(host.loop());
      host.connections.resize(2);
      long windows = sums.windows();
      Conditions.await("windows close", () -> sums.windows() > windows + 2);
      assertThat(sums.last().size()).isEqualTo(8); // All are in use.
      load.flow();
      Conditions.await("the size is in force", () -> sums.last().size() == 2);
    }
  }

  @Test
  void windowsHoldTheConnectionsThatThereAreOnTheWayUp() throws Exception {
    try (HikariHost host = start(2);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(2);
      WindowSums sums = WindowSums.of(host.loop());
      host.database.admit(5);
      host.connections.resize(8);
      load.awaitInside(5);
      long windows = sums.windows();
      Conditions.await("windows close", () -> sums.windows() > windows + 2);
      assertThat(sums.last().size()).isEqualTo(5);
    }
  }

  @Test
  void timeoutCountsAsRejection() throws Exception {
    try (HikariHost host = new HikariHost(1, null, 250);
        HostLoad load = new HostLoad(host, 1)) {
      load.awaitInside(1);
      WindowSums sums = WindowSums.of(host.loop());
      assertThatThrownBy(() -> host.call(() -> {})).hasMessageContaining("timed out");
      Conditions.await("a rejection", () -> sums.rejections() == 1);
    }
  }

  @Test
  void serviceTimeIsThatOfTheUse() throws Exception {
    long began = System.nanoTime();
    try (HikariHost host = start(4)) { // Its first use may be in the windows, too.
      WindowSums sums = WindowSums.of(host.loop());
      host.call(
          () -> {
            long begins = System.nanoTime();
            Conditions.await("25 ms", () -> System.nanoTime() - begins > 25_000_000);
          });
      long took = System.nanoTime() - began;
      Conditions.await("a time", () -> sums.longestService() >= 25_000_000);
      assertThat(sums.longestService()).isLessThanOrEqualTo(took);
    }
  }

  @Test
  void poolThatRunsWithATrackerIsRefused() throws Exception {
    try (HikariDataSource dataSource = new HikariDataSource()) {
      dataSource.setDataSource(new FakeDatabase().dataSource());
      dataSource.setMetricsTrackerFactory((pool, stats) -> new IMetricsTracker() {});
      dataSource.getConnection().close();
      assertThatThrownBy(() -> HikariConnections.install(dataSource, BOUNDS))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("install before the first connection");
    }
  }

  @Test
  void sizeOutOfBoundsIsRefused() {
    try (HikariDataSource dataSource = new HikariDataSource()) {
      assertThatThrownBy(() -> HikariConnections.install(dataSource, new Bounds(12, 20)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("maximumPoolSize must be within 12..20, but is 10");
    }
  }
}
