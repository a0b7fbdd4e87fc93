package io.poolkeeper.testbed.benchmarks.integrations;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.Bounds;
import io.poolkeeper.hikari.HikariConnections;
import io.poolkeeper.testbed.applications.mariadb.Database;
import io.poolkeeper.testbed.benchmarks.figures.Machine;
import io.poolkeeper.testbed.benchmarks.figures.MedianInterval;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Queries through an adaptive HikariCP and through one as it comes, in turns, on a MariaDB. */
@Command(
    name = "hikari-cost",
    mixinStandardHelpOptions = true,
    description = {
      "Queries through an adaptive HikariCP against one of 10 connections, its default, in turns:",
      "a trivial query of 10 callers, and one that waits 10 ms of 64 callers."
    })
final class HikariCost implements Callable<Integer> {

  private static final int DEFAULT_SIZE = 10;
  private static final int LARGEST_SIZE = 64;
  private static final int WARM_UPS = 3;
  private static final double TRIVIAL_TARGET = 0.97;
  private static final double WAITING_TARGET = 1.0;

  @Option(
      names = "--rounds",
      defaultValue = "15",
      description = "Turns of each; 6 or more to tell anything. Default: ${DEFAULT-VALUE}")
  private int rounds = 15;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      description = "Length of a turn. Default: ${DEFAULT-VALUE}")
  private int seconds = 2;

  public static void main(String[] arguments) {
    Machine.print("hikari-cost", arguments);
    System.exit(new CommandLine(new HikariCost()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    if (rounds < 1 || seconds < 1) {
      System.err.printf(
          "poolkeeper: rounds and seconds must be >= 1, but are %d and %d%n", rounds, seconds);
      return 2;
    }
    try (Database database = Database.start()) {
      compare(database, "trivial, 10 callers", "SELECT 1", DEFAULT_SIZE, TRIVIAL_TARGET);
      compare(database, "waits 10 ms, 64 callers", "DO SLEEP(0.01)", LARGEST_SIZE, WAITING_TARGET);
    }
    return 0;
  }

  private void compare(Database database, String name, String query, int callers, double target)
      throws SQLException, InterruptedException {
    try (HikariDataSource plain = open(database);
        HikariDataSource adaptive = open(database)) {
      HikariConnections connections =
          HikariConnections.install(adaptive, new Bounds(1, LARGEST_SIZE));
      for (int i = 0; i < WARM_UPS; i++) {
        turn(plain, query, callers);
        turn(adaptive, query, callers);
      }
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        boolean plainFirst = i % 2 == 0;
        double first = turn(plainFirst ? plain : adaptive, query, callers);
        double second = turn(plainFirst ? adaptive : plain, query, callers);
        ratios.add(plainFirst ? second / first : first / second);
      }
      System.out.printf(
          "%s: ratio of adaptive to plain %s; %s; at the end %d connections%n",
          name,
          Spread.of(ratios),
          MedianInterval.of(ratios)
              .map(interval -> interval + ", " + interval.atLeast(target))
              .orElse("too few rounds to tell"),
          connections.size());
    }
  }

  private static HikariDataSource open(Database database) {
    HikariDataSource source = new HikariDataSource();
    source.setJdbcUrl(database.jdbcUrl());
    source.setMaximumPoolSize(DEFAULT_SIZE);
    return source;
  }

  /** Returns queries a second. */
  private double turn(HikariDataSource source, String query, int count)
      throws SQLException, InterruptedException {
    long begin = System.nanoTime();
    Callers callers = new Callers(source, query, count);
    try (callers) {
      TimeUnit.SECONDS.sleep(seconds);
    }
    return callers.answers() * 1e9 / (System.nanoTime() - begin);
  }
}
