package io.poolkeeper.console;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Resizable;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A page on which one watches pools while they run, and changes them: sizes, waiting tasks, the
 * learned curve, decisions with their reasons.
 *
 * <pre>{@code
 * Console.open().watch(pool);
 * }</pre>
 *
 * <p>It listens on the loopback interface alone. Who knows the {@linkplain #address address}, which
 * holds a token, may look and change; a page of another origin may do neither. Its threads are
 * daemons of its own, at most {@value ConsoleServer#THREADS} and {@value EventStreams#LARGEST} for
 * pages that are open.
 */
public final class Console implements AutoCloseable {

  private final PoolMonitor monitor;
  private final ConsoleServer server;

  private Console(ConsoleServer server, PoolMonitor monitor) {
    this.server = server;
    this.monitor = monitor;
  }

  /**
   * Opens a console on a free port, with a token drawn at random, and logs its address.
   *
   * @throws IOException if there is no socket to be had
   */
  public static Console open() throws IOException {
    return open(0);
  }

  /**
   * Opens a console with a token drawn at random, and logs its address.
   *
   * @param port 0 for any that is free
   * @throws IllegalArgumentException if there is no such port
   * @throws java.net.BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  public static Console open(int port) throws IOException {
    return open(port, Token.random());
  }

  /**
   * Opens a console with a token that is known beforehand, and logs its address.
   *
   * @param port 0 for any that is free
   * @param token at least 16 letters, digits, dashes and underscores
   * @throws IllegalArgumentException if there is no such port, or the token is too short or has
   *     other characters
   * @throws java.net.BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  public static Console open(int port, String token) throws IOException {
    return open(port, token, new PoolMonitor());
  }

  /**
   * Opens a console that shows the pools of a monitor, and logs its address.
   *
   * @param port 0 for any that is free
   * @param token at least 16 letters, digits, dashes and underscores; null for one drawn at random
   * @param monitor closed with the console
   * @throws IllegalArgumentException if there is no such port, or the token is too short or has
   *     other characters
   * @throws java.net.BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  public static Console open(int port, @Nullable String token, PoolMonitor monitor)
      throws IOException {
    String secret = token == null ? Token.random() : Token.require(token);
    RunningPools data = new RunningPools(monitor.watched());
    Console console = new Console(new ConsoleServer(port, secret, data), monitor);
    System.getLogger("io.poolkeeper.console")
        .log(System.Logger.Level.INFO, "console: {0}", console.address());
    return console;
  }

  /** Shows a pool, until it is closed. */
  public Console watch(AdaptiveExecutor pool) {
    return watch(pool, pool.control());
  }

  /** Shows a limiter, until it is closed. */
  public Console watch(AdaptiveLimiter limiter) {
    return watch(limiter, limiter.control());
  }

  /**
   * Shows whatever a loop tunes, until the loop is closed.
   *
   * @throws IllegalArgumentException if a pool of that name is watched already
   */
  public Console watch(Resizable pool, ControlLoop loop) {
    monitor.watch(pool, loop);
    return this;
  }

  /** Address of the page, with the token in its fragment, which browsers send to nobody. */
  public URI address() {
    return server.address();
  }

  /** Closes the page. The pools go on; one that is pinned stays so. */
  @Override
  public void close() {
    server.close();
    monitor.close();
  }
}
