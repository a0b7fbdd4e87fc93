package io.tidepool.testbed.applications;

import io.tidepool.spi.Names;
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
          "db");

  private Applications() {}

  /** Whether an application needs a database. */
  public static boolean needsDatabase(String name) {
    return name.startsWith("db");
  }

  /**
   * An application by name.
   *
   * @param n the number that {@code prime} tests in every request, 2 or more; unused by the others
   * @param seed of what the application draws, such as the row that it reads
   * @param database for those that need one; closed by the caller
   * @throws IllegalArgumentException if there is none of that name, with the nearest one; if it
   *     needs a database and has none; or if n is below 2
   * @throws SQLException if the database refuses to hold the tables
   */
  public static Application named(String name, int n, long seed, @Nullable DataSource database)
      throws SQLException {
    Draws draws = new Draws(seed);
    String[] parts = Names.require("application", name, NAMES).split("-", 2);
    int size = parts.length == 2 ? Integer.parseInt(parts[1]) : 0;
    return switch (parts[0]) {
      case "prime1m" -> new Prime(1_000_000, 1_000_020, draws);
      case "prime10m" -> new Prime(10_000_000, 10_000_020, draws);
      case "prime" -> fixedPrime(n, draws);
      case "io" -> new Message(size);
      case "cpu" -> fixedPrime(size, draws);
      case "memory" -> new MergeSort(size, draws);
      case "dbwrite", "db" -> new DbWrite(required(name, database));
      case "dbread" -> new DbRead(required(name, database), draws);
      default -> throw new AssertionError(name);
    };
  }

  private static Application fixedPrime(int n, Draws draws) {
    if (n < 2) {
      throw new IllegalArgumentException("n must be >= 2, but is " + n);
    }
    return new Prime(n, n, draws);
  }

  private static DataSource required(String name, @Nullable DataSource database) {
    if (database == null) {
      throw new IllegalArgumentException(name + " needs a database: give --jdbc-url");
    }
    return database;
  }
}
