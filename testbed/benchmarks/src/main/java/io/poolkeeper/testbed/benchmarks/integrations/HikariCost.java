package io.poolkeeper.testbed.benchmarks.integrations;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.Bounds;
import io.poolkeeper.hikari.HikariConnections;
import io.poolkeeper.testbed.applications.mariadb.Database;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.MedianInterval;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.benchmarks.figures.Turns;
import io.poolkeeper.testbed.commands.Ranges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Queries through an adaptive HikariCP and through one as it comes, in turns, on a MariaDB. */
@Command(
    name = "hikari-cost",
    description = {
      "Queries through an adaptive HikariCP against one of 10 connections, its default, in turns:",
      "a trivial query of 10 callers, and one that waits 10 ms of 64 callers. The adaptive one",
      "may have 1 to 64 connections."
    })
final class HikariCost extends Benchmark {

  private static final int DEFAULT_SIZE = 10;
  private static final int LARGEST_SIZE = 64;
  private static final int WARM_UPS = 3;
  private static final double TRIVIAL_TARGET = 0.97;
  private static final double WAITING_TARGET = 1.0;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "15",
      description = "Turns of each; 6 or more to tell anything. Default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "2",
      description = "Seconds of a turn. Default: ${DEFAULT-VALUE}")
  private int seconds;

  public static void main(String[] arguments) {
    logToNowhere();
    start(new HikariCost(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--rounds", rounds, 1, 1000);
    Ranges.require("--seconds", seconds, 1, 600);
  }

  @Override
  protected int measure() throws Exception {
    try (Database database = Database.start()) {
      compare(database, "trivial, 10 callers", "SELECT 1", DEFAULT_SIZE, TRIVIAL_TARGET);
      compare(database, "waits 10 ms, 64 callers", "DO SLEEP(0.01)", LARGEST_SIZE, WAITING_TARGET);
    }
    return 0;
  }

  private void compare(Database database, String name, String query, int callers, double target)
      throws Exception {
    try (HikariDataSource plain = open(database);
        HikariDataSource adaptive = open(database)) {
      HikariConnections connections =
          HikariConnections.install(adaptive, new Bounds(1, LARGEST_SIZE));
      List<Double> sizes = new ArrayList<>();
      Map<HikariDataSource, List<Double>> rates =
          Turns.take(
              name,
              List.of(plain, adaptive),
              WARM_UPS,
              rounds,
              source -> {
                double rate = turn(source, query, callers);
                if (source == adaptive) {
                  sizes.add((double) connections.size());
                }
                return rate;
              });
      List<Double> base = Objects.requireNonNull(rates.get(plain));
      List<Double> ours = Objects.requireNonNull(rates.get(adaptive));
      System.out.printf(
          "%n%s: %s to %s queries/s, medians%n",
          name, Spread.number(Spread.of(ours).median()), Spread.number(Spread.of(base).median()));
      System.out.printf(
          "  ratio of adaptive to plain %s%n",
          MedianInterval.atLeast(Turns.ratios(ours, base), target));
      System.out.printf(
          "  connections at the end of its turns: %s%n",
          Spread.of(sizes.subList(WARM_UPS, sizes.size())));
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
