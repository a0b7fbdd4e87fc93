package io.poolkeeper.console;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measured use of connections by the requests of a service, as the controllers of coordinated pools
 * state it.
 *
 * @param visits uses of a connection in a request
 * @param residence time of a use, milliseconds
 * @param service time of a request in its thread without its waits for connections, milliseconds
 */
record ConnectionUse(double visits, double residence, double service) {

  private static final double NANOS_TO_MILLIS = 1e-6;

  /** Returns the use among the numbers of a decision; null if there is none. */
  static @Nullable ConnectionUse of(Map<String, Double> numbers) {
    double visits = numbers.getOrDefault("visits", Double.NaN);
    double residence = numbers.getOrDefault("residence", Double.NaN) * NANOS_TO_MILLIS;
    double service = numbers.getOrDefault("service", Double.NaN) * NANOS_TO_MILLIS;
    return Double.isFinite(visits) && Double.isFinite(residence) && service > 0
        ? new ConnectionUse(visits, residence, service)
        : null;
  }
}
