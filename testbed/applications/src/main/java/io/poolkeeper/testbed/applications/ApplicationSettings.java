package io.poolkeeper.testbed.applications;

import io.poolkeeper.testbed.applications.downstream.DownstreamAddress;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Settings that applications are made from. Each application reads those that it needs.
 *
 * @param n the number that {@code prime} tests in every request, 2 or more
 * @param seed seed of all that applications draw, such as the row that they read
 * @param database database of those that need one, closed by the caller; null for none
 * @param downstream downstream server of those that call one; null for none
 * @param lockShare share of the work of {@code lock} inside its critical section, from 0 to 1
 */
public record ApplicationSettings(
    int n,
    long seed,
    @Nullable DataSource database,
    @Nullable DownstreamAddress downstream,
    double lockShare) {

  /** Default share of the work of {@code lock} inside its critical section. */
  public static final double LOCK_SHARE = 0.25;

  public ApplicationSettings {
    if (!(lockShare >= 0 && lockShare <= 1)) {
      throw new IllegalArgumentException("lock-share must be within 0..1, but is " + lockShare);
    }
  }

  /** Settings of applications that need neither a database nor a downstream server. */
  public ApplicationSettings(int n, long seed) {
    this(n, seed, null, null, LOCK_SHARE);
  }

  /** Returns the same settings with another database. */
  public ApplicationSettings with(DataSource database) {
    return new ApplicationSettings(n, seed, database, downstream, lockShare);
  }

  /** Returns the same settings with another downstream server. */
  public ApplicationSettings with(DownstreamAddress downstream) {
    return new ApplicationSettings(n, seed, database, downstream, lockShare);
  }

  DataSource requiredDatabase(String application) {
    if (database == null) {
      throw new IllegalArgumentException(application + " needs a database: give --jdbc-url");
    }
    return database;
  }

  DownstreamAddress requiredDownstream(String application) {
    if (downstream == null) {
      throw new IllegalArgumentException(
          application + " needs a downstream server: give --downstream");
    }
    return downstream;
  }
}
