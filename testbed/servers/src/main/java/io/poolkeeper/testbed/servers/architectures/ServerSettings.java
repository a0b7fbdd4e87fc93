package io.poolkeeper.testbed.servers.architectures;

import io.poolkeeper.testbed.servers.http.Limits;
import java.time.Duration;

/**
 * Settings that every architecture has.
 *
 * @param port TCP port on the loopback interface, 0 for a free one
 * @param idleTimeout time without a complete request and without an answer after which a connection
 *     is closed that waits for none
 * @param limits of what a client may ask
 */
public record ServerSettings(int port, Duration idleTimeout, Limits limits) {

  public static final ServerSettings DEFAULTS =
      new ServerSettings(0, Duration.ofSeconds(60), Limits.DEFAULTS);

  /** Connections that may wait to be accepted: as many as come at once in a test of many users. */
  public static final int BACKLOG = 16_384;

  /**
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public ServerSettings {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be within 0..65535, but is " + port);
    }
    if (idleTimeout.isNegative() || idleTimeout.isZero()) {
      throw new IllegalArgumentException("idle-timeout must be positive, but is " + idleTimeout);
    }
  }
}
