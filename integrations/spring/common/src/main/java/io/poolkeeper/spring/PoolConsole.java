package io.poolkeeper.spring;

import io.poolkeeper.console.Console;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.spring.settings.InvalidSettingException;
import java.io.IOException;
import org.apache.commons.logging.LogFactory;
import org.springframework.lang.Nullable;

/** The console of a service, which shows pools as they start. Without its port the service runs. */
final class PoolConsole implements AutoCloseable {

  private final @Nullable Console console;

  /**
   * Opens the console; where that fails, a warning says why.
   *
   * @param port 0 for any that is free
   * @param token null for one drawn at random
   * @throws InvalidSettingException if the token is too short or has other characters
   */
  PoolConsole(PoolMonitor monitor, int port, @Nullable String token) {
    Console opened = null;
    try {
      opened = Console.open(port, token, monitor);
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
    console = opened;
  }

  /** The console; null if it could not be opened. */
  @Nullable
  Console console() {
    return console;
  }

  @Override
  public void close() {
    if (console != null) {
      console.close();
    }
  }
}
