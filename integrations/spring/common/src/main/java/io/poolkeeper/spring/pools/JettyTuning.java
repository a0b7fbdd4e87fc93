package io.poolkeeper.spring.pools;

import io.poolkeeper.jetty.AdmissionHandler;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.PoolSettings;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.ThreadPool.SizedThreadPool;

/** Puts a limit in front of Jetty, whose own pool of threads cannot be resized well. */
public final class JettyTuning {

  private final Pools pools;
  private final boolean virtualThreads;

  /**
   * Makes the code that tunes.
   *
   * @param virtualThreads whether requests run on virtual threads
   */
  public JettyTuning(Pools pools, boolean virtualThreads) {
    this.pools = pools;
    this.virtualThreads = virtualThreads;
  }

  /** Puts the limit in front of the handler of a server. */
  public void tune(Server server) {
    PoolSettings settings = pools.settings(Pools.WEB);
    if (!settings.enabled()) {
      return;
    }
    TunedPool pool = add(server, settings);
    AdmissionHandler handler =
        new AdmissionHandler(
            server.getHandler(), builder -> RequestLimits.describe(pools, pool, builder));
    handler.setName(Pools.WEB);
    handler.setPatience(RequestLimits.patience(pools));
    handler.setRetryAfter(RequestLimits.retryAfter(pools));
    server.setHandler(handler);
    pool.loop(() -> handler.limiter().control());
  }

  private TunedPool add(Server server, PoolSettings settings) {
    if (!virtualThreads && server.getThreadPool() instanceof SizedThreadPool threads) {
      // The other threads read and write connections.
      int most = Math.max(1, threads.getMaxThreads() * 3 / 4);
      return RequestLimits.add(
          pools,
          settings,
          new HostMaximum("three quarters of server.jetty.threads.max", most, true));
    }
    return RequestLimits.add(pools, settings, RequestLimits.NO_MAXIMUM);
  }
}
