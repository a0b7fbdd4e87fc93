package io.tidepool.testbed.servers.architectures;

/**
 * An HTTP server that runs: it listens on the loopback interface from its construction on, and what
 * it serves it has been given there.
 */
public interface Server extends AutoCloseable {

  /** Port that it listens on. */
  int port();

  /** Open connections. */
  int connections();

  /**
   * Takes no more connections. Requests of open ones are still answered, and told that the answer
   * is the last of its connection: a client that is served to its end loses nothing.
   */
  void drain();

  /** Sends the answers that are ready, and closes all connections. Closing again does nothing. */
  @Override
  void close();
}
