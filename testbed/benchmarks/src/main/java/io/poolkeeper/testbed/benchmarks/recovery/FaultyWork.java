package io.poolkeeper.testbed.benchmarks.recovery;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.applications.ApplicationSettings;
import io.poolkeeper.testbed.applications.Applications;
import io.poolkeeper.testbed.applications.downstream.DownstreamAddress;
import io.poolkeeper.testbed.applications.downstream.DownstreamServer;
import io.poolkeeper.testbed.applications.mariadb.Database;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Work that goes wrong for a while, when it is told to. */
interface FaultyWork {

  /** Does a task. */
  void work() throws Exception;

  /** Begins the fault. */
  void begin() throws Exception;

  /** Ends the fault. */
  void end() throws Exception;

  /** Ends the work for good, and all that it needed. */
  void stop() throws Exception;

  /** Calls of 20 ms to a downstream server that has one of its faults. */
  static FaultyWork downstream(String fault) throws Exception {
    DownstreamServer server = new DownstreamServer(0, DownstreamServer.DEFAULTS);
    DownstreamAddress address =
        new DownstreamAddress("127.0.0.1", server.port(), Duration.ofSeconds(5));
    Application call = Applications.named("call20", new ApplicationSettings(1, 1).with(address));
    return new Parts(
        call::answer,
        () -> server.change(null, Map.of("fault", fault)),
        () -> server.change(null, Map.of("fault", "none")),
        () -> {
          server.close();
          call.close();
        });
  }

  /** Calls of 20 ms, half of which fail for want of memory. */
  static FaultyWork outOfMemory() throws Exception {
    FaultyWork calls = downstream("none");
    AtomicBoolean fails = new AtomicBoolean();
    AtomicLong count = new AtomicLong();
    return new Parts(
        () -> {
          if (fails.get() && count.getAndIncrement() % 2 == 0) {
            throw new OutOfMemoryError("as if the heap were full");
          }
          calls.work();
          return null;
        },
        () -> fails.set(true),
        () -> fails.set(false),
        calls::stop);
  }

  /** Transactions on a database that stands still, as in a failover. */
  static FaultyWork database() throws Exception {
    Database database = Database.start();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setMaximumPoolSize(100);
    HikariDataSource pool = new HikariDataSource(config);
    Application rows = Applications.named("hot-rows", new ApplicationSettings(1, 1).with(pool));
    return new Parts(
        rows::answer,
        () -> signal("STOP", database.pid()),
        () -> signal("CONT", database.pid()),
        () -> {
          signal("CONT", database.pid());
          rows.close();
          pool.close();
          database.close();
        });
  }

  /** Computing beside another adaptive pool that takes the same processors for a while. */
  static FaultyWork neighbour() throws Exception {
    Application prime = Applications.named("prime1m", new ApplicationSettings(1, 1));
    AdaptiveExecutor other = AdaptiveExecutor.builder("neighbour").build();
    Users users = new Users(other, 50, prime::answer);
    return new Parts(prime::answer, users::start, users::pause, users::close);
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    if (code != 0) {
      throw new IOException("kill -" + name + " ended with " + code);
    }
  }

  /** Work whose parts are given. */
  record Parts(Callable<?> task, Action beginning, Action ending, Action stopping)
      implements FaultyWork {

    /** Something that may fail. */
    @FunctionalInterface
    interface Action {
      /** Does it. */
      void run() throws Exception;
    }

    @Override
    public void work() throws Exception {
      task.call();
    }

    @Override
    public void begin() throws Exception {
      beginning.run();
    }

    @Override
    public void end() throws Exception {
      ending.run();
    }

    @Override
    public void stop() throws Exception {
      stopping.run();
    }
  }
}
