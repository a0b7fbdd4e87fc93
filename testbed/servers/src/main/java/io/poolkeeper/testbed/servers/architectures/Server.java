package io.poolkeeper.testbed.servers.architectures;

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
   * Takes no more connections. What open ones have sent is still answered, with word in the last
   * answer that it is the last: a client that is served to its end loses nothing.
   */
  void drain();

  /**
   * Whether all who had connected by the time of {@link #drain} are let in, and all that had come
   * has its answer.
   */
  boolean settled();

  /** Whether it ends, and whom it has left without an answer. */
  Shutdown shutdown();

  /**
   * Sends the answers that are ready, and ends all connections, without a reset unless a client
   * goes on sending. Closing again does nothing.
   */
  @Override
  void close();
}
