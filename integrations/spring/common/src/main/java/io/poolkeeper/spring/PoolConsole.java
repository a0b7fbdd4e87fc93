package io.poolkeeper.spring;

import io.poolkeeper.console.Console;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.spring.settings.InvalidSettingException;
import java.io.IOException;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.lang.Nullable;

/**
 * The console of a service, which shows pools as they start. Without its port the service runs; it
 * opens after the servers of the service, whose port it could take otherwise.
 */
final class PoolConsole implements SmartLifecycle, AutoCloseable {

  private final PoolMonitor monitor;
  private final int port;
  private final @Nullable String token;
  private volatile boolean running;
  private volatile @Nullable Console console;

  /**
   * Makes a console that opens at the end of the start.
   *
   * @param port 0 for any that is free
   * @param token null for one drawn at random
   */
  PoolConsole(PoolMonitor monitor, int port, @Nullable String token) {
    this.monitor = monitor;
    this.port = port;
    this.token = token;
  }

  /**
   * Opens the console; where that fails, a warning says why.
   *
   * @throws InvalidSettingException if the token is too short or has other characters
   */
  @Override
  public void start() {
    running = true;
    try {
      console = Console.open(port, token, monitor);
    } catch (IllegalArgumentException e) { // Its message keeps the token out of the log.
      throw new InvalidSettingException(
          "poolkeeper.console.token",
          "(a secret)",
          e.getMessage() + "; without the property one is drawn at random",
          null);
    } catch (IOException e) {
      LogFactory.getLog("io.poolkeeper.spring")
          .warn("poolkeeper.console.port: there is no console: " + e.getMessage());
    }
  }

  /** The console; null if it could not be opened. */
  @Nullable
  Console console() {
    return console;
  }

  /** Does nothing: the console shows how the service stops, and closes with the context. */
  @Override
  public void stop() {}

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public void close() {
    Console opened = console;
    if (opened != null) {
      opened.close();
    }
  }
}
