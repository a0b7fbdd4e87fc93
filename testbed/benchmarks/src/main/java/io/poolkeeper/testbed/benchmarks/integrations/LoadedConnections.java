package io.poolkeeper.testbed.benchmarks.integrations;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.hikari.HikariConnections;
import io.poolkeeper.testbed.applications.mariadb.Database;
import java.sql.SQLException;
import java.util.function.IntConsumer;

/** Hikari's connections with callers whose queries take 20 ms. */
final class LoadedConnections implements LoadedHost {

  private final HikariDataSource source;
  private final IntConsumer resize;
  private final Callers callers;

  private LoadedConnections(HikariDataSource source, IntConsumer resize, int count) {
    this.source = source;
    this.resize = resize;
    callers = new Callers(source, "DO SLEEP(0.02)", count);
  }

  /** The adapter's. */
  static LoadedHost adaptive(Database database, int size, int largest, int callers) {
    HikariDataSource source = open(database, size);
    HikariConnections connections =
        HikariConnections.install(
            source,
            new Bounds(1, largest),
            Objective.throughput(),
            loop -> loop.mode(Mode.FROZEN).jmx(false));
    return new LoadedConnections(source, connections::resize, callers);
  }

  /** Hikari's own, with its setters. */
  static LoadedHost plain(Database database, int size, int callers) {
    HikariDataSource source = open(database, size);
    return new LoadedConnections(
        source,
        wanted -> {
          source.setMinimumIdle(Math.min(wanted, source.getMaximumPoolSize()));
          source.setMaximumPoolSize(wanted);
          source.setMinimumIdle(wanted);
        },
        callers);
  }

  private static HikariDataSource open(Database database, int size) {
    HikariDataSource source = new HikariDataSource();
    source.setJdbcUrl(database.jdbcUrl());
    source.setMaximumPoolSize(size);
    return source;
  }

  @Override
  public void resize(int size) {
    resize.accept(size);
  }

  @Override
  public int inUse() {
    return callers.held();
  }

  @Override
  public void close() throws SQLException {
    try (source) {
      callers.close();
    }
  }
}
