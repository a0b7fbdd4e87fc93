package io.poolkeeper.testbed.applications;

import io.poolkeeper.testbed.commands.Names;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The applications by name. */
public final class Applications {

  /**
   * Names of all applications: those of Costa (2019), then those of Tennage (2020), whose numbers
   * are bytes answered, numbers tested and integers sorted; {@code db} is one committed insert.
   */
  public static final List<String> NAMES =
      List.of(
          "prime1m",
          "prime10m",
          "prime",
          "dbwrite",
          "dbread",
          "io-10",
          "io-1024",
          "cpu-11",
          "cpu-541",
          "cpu-27059",
          "cpu-66601",
          "cpu-1303031",
          "memory-10",
          "memory-1000",
          "db",
          "call",
          "call20",
          "call400",
          "report",
          "hot-rows",
          "cpu",
          "lock");

  private static final int CPU_MILLIS = 4;

  private Applications() {}

  /** Whether an application needs a database. */
  public static boolean needsDatabase(String name) {
    return name.startsWith("db") || name.equals("hot-rows");
  }

  /** Whether an application needs a downstream server. */
  public static boolean needsDownstream(String name) {
    return name.startsWith("call");
  }

  /**
   * Returns an application by name.
   *
   * @throws IllegalArgumentException if there is none of that name, with the nearest one; if it
   *     needs a database or a downstream server and has none; or if n is below 2 and is used
   * @throws SQLException if the database refuses to hold the tables
   */
  public static Application named(String name, ApplicationSettings settings) throws SQLException {
    Draws draws = new Draws(settings.seed());
    String valid = Names.require("application", name, NAMES);
    String[] parts = valid.split("-(?=\\d)", 2);
    int size = parts.length == 2 ? Integer.parseInt(parts[1]) : 0;
    return switch (parts[0]) {
      case "prime1m" -> new Prime(1_000_000, 1_000_020, draws);
      case "prime10m" -> new Prime(10_000_000, 10_000_020, draws);
      case "prime" -> fixedPrime(settings.n(), draws);
      case "io" -> new Message(size);
      case "cpu" -> parts.length == 2 ? fixedPrime(size, draws) : new Computation(CPU_MILLIS);
      case "memory" -> new MergeSort(size, draws);
      case "dbwrite", "db" -> new DbWrite(settings.requiredDatabase(name));
      case "dbread" -> new DbRead(settings.requiredDatabase(name), draws);
      case "call", "call20", "call400" -> new Call(settings.requiredDownstream(name), name);
      case "report" -> new Report(draws);
      case "hot-rows" -> new HotRows(settings.requiredDatabase(name), draws);
      case "lock" -> new Lock(settings.lockShare());
      default -> throw new AssertionError(name);
    };
  }

  /**
   * Returns an application that needs no downstream server.
   *
   * @param n the number that {@code prime} tests
   * @param seed of what the application draws
   * @param database for those that need one; closed by the caller
   * @throws SQLException if the database refuses to hold the tables
   */
  public static Application named(String name, int n, long seed, @Nullable DataSource database)
      throws SQLException {
    return named(
        name, new ApplicationSettings(n, seed, database, null, ApplicationSettings.LOCK_SHARE));
  }

  private static Application fixedPrime(int n, Draws draws) {
    if (n < 2) {
      throw new IllegalArgumentException("n must be >= 2, but is " + n);
    }
    return new Prime(n, n, draws);
  }
}
