package io.poolkeeper.spring;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.console.Console;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool;
import io.poolkeeper.spring.settings.InvalidSettingException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.LogFactory;
import org.springframework.lang.Nullable;

/** The console of a service, which shows pools as they start. Without its port the service runs. */
final class PoolConsole implements ControlListener, AutoCloseable {

  private final Pools pools;
  private final @Nullable Console console;
  private final Set<Resizable> shown = ConcurrentHashMap.newKeySet();

  /**
   * Opens the console; where that fails, a warning says why.
   *
   * @param port 0 for any that is free
   * @param token null for one drawn at random
   * @throws InvalidSettingException if the token is too short or has other characters
   */
  PoolConsole(Pools pools, int port, @Nullable String token) {
    this.pools = pools;
    Console opened = null;
    try {
      opened = token == null ? Console.open(port) : Console.open(port, token);
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
    if (console != null) {
      pools.listen(this);
    }
  }

  /** The console; null if it could not be opened. */
  @Nullable
  Console console() {
    return console;
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    if (console != null && !shown.contains(pool)) {
      // Where an older pool of the name is not closed yet, the next window tries again.
      pools
          .find(pool.name())
          .flatMap(TunedPool::loop)
          .ifPresent(
              loop -> {
                console.watch(pool, loop);
                shown.add(pool);
              });
    }
  }

  @Override
  public void onClose(Resizable pool) {
    shown.remove(pool);
  }

  @Override
  public void close() {
    if (console != null) {
      console.close();
    }
  }
}
