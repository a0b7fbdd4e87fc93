package io.tidepool.testbed.servers;

import java.time.Duration;

/**
 * Settings of an HTTP server.
 *
 * @param port TCP port on the loopback interface, 0 for a free one
 * @param eventLoops threads that read and write, 1 or more
 * @param largestBody bytes of a request's body above which it is refused with 413
 * @param idleTimeout time without a complete request and without an answer after which a connection
 *     is closed that waits for none
 * @param pipeline requests of one connection that may be under way at once, 1 or more; the server
 *     takes no further ones of that connection until answers have left
 */
record HttpSettings(int port, int eventLoops, int largestBody, Duration idleTimeout, int pipeline) {

  static final HttpSettings DEFAULTS =
      new HttpSettings(0, 2, 64 * 1024, Duration.ofSeconds(60), 32);

  HttpSettings {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be within 0..65535, but is " + port);
    }
    if (eventLoops < 1) {
      throw new IllegalArgumentException("event-loops must be >= 1, but is " + eventLoops);
    }
    if (idleTimeout.isNegative() || idleTimeout.isZero()) {
      throw new IllegalArgumentException("idle-timeout must be positive, but is " + idleTimeout);
    }
    if (pipeline < 1) {
      throw new IllegalArgumentException("pipeline must be >= 1, but is " + pipeline);
    }
  }

  HttpSettings withPort(int port) {
    return new HttpSettings(port, eventLoops, largestBody, idleTimeout, pipeline);
  }

  HttpSettings withEventLoops(int eventLoops) {
    return new HttpSettings(port, eventLoops, largestBody, idleTimeout, pipeline);
  }

  HttpSettings withPipeline(int pipeline) {
    return new HttpSettings(port, eventLoops, largestBody, idleTimeout, pipeline);
  }

  HttpSettings withIdleTimeout(Duration idleTimeout) {
    return new HttpSettings(port, eventLoops, largestBody, idleTimeout, pipeline);
  }
}
