package io.poolkeeper.spring.pools;

import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.PoolSettings;
import io.poolkeeper.tomcat.AdmissionValve;
import io.poolkeeper.tomcat.TomcatExecutor;
import java.util.function.Consumer;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.AbstractProtocol;

/** Tunes Tomcat. Packages of Spring Boot's factories differ between versions; this does not. */
public final class TomcatTuning {

  /** Tomcat's number of threads where none is set. */
  private static final int DEFAULT_THREADS = 200;

  /** Number of threads with which every executor of the library starts. */
  private static final int STARTING_THREADS = 8 * Runtime.getRuntime().availableProcessors();

  private final Pools pools;
  private final GracefulStop stop;
  private final boolean virtualThreads;

  /**
   * Makes the code that tunes.
   *
   * @param stop waits for requests that have not begun
   * @param virtualThreads whether requests run on virtual threads
   */
  public TomcatTuning(Pools pools, GracefulStop stop, boolean virtualThreads) {
    this.pools = pools;
    this.stop = stop;
    this.virtualThreads = virtualThreads;
  }

  /**
   * Tunes the web server: the threads of its connector, or a limit in front of the engine.
   *
   * @param connectors takes what is to be done with the connector
   * @param valves takes the valve of the engine
   */
  public void tune(Consumer<Consumer<Connector>> connectors, Consumer<Valve> valves) {
    PoolSettings settings = pools.settings(Pools.WEB);
    if (!settings.enabled()) {
      return;
    }
    Boolean admission = pools.properties().getWeb().getAdmission();
    if (admission == null ? virtualThreads : admission) {
      AdmissionValve valve = limit(settings);
      valves.accept(valve);
      connectors.accept(
          connector ->
              stop.add(
                  connector.getProtocolHandler()::closeServerSocketGraceful, () -> waiting(valve)));
    } else {
      connectors.accept(connector -> sizeThreads(connector, settings));
    }
  }

  private void sizeThreads(Connector connector, PoolSettings settings) {
    if (!(connector.getProtocolHandler() instanceof AbstractProtocol<?> protocol)
        || protocol.getExecutor() != null) {
      pools.leaveAlone(
          Pools.WEB, "Tomcat's threads are not tuned: its connector has an executor of its own");
      return;
    }
    int threads = protocol.getMaxThreads();
    int queue = protocol.getMaxQueueSize(); // Unknown once it has our executor.
    HostMaximum host =
        new HostMaximum("server.tomcat.threads.max", threads, threads != DEFAULT_THREADS);
    TunedPool pool = pools.add(settings, Kind.THREADS, host, threads);
    TomcatExecutor executor =
        TomcatExecutor.install(
            connector,
            builder -> {
              RequestLimits.describePool(pools, pool, builder);
              builder.queueCapacity(queue);
              builder.initialSize(pool.startingSize(STARTING_THREADS, threads));
            });
    executor.setName(Pools.WEB);
    stop.add(protocol::closeServerSocketGraceful, executor::getQueueSize);
    pool.loop(() -> executor.pool().control());
  }

  private static int waiting(AdmissionValve valve) {
    try {
      return valve.limiter().waiting();
    } catch (IllegalStateException e) { // It has stopped.
      return 0;
    }
  }

  private AdmissionValve limit(PoolSettings settings) {
    TunedPool pool = RequestLimits.add(pools, settings, RequestLimits.NO_MAXIMUM);
    AdmissionValve valve =
        new AdmissionValve(builder -> RequestLimits.describe(pools, pool, builder));
    valve.setName(Pools.WEB);
    valve.setPatience(RequestLimits.patience(pools).toMillis());
    valve.setRetryAfter(RequestLimits.retryAfter(pools));
    pool.loop(() -> valve.limiter().control());
    return valve;
  }
}
