package io.poolkeeper.spring.pools;

import io.poolkeeper.CoordinatedPools;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import java.util.List;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Sizes the threads of the web server and the connections of a data source together. */
public final class Coordination {

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  private Coordination() {}

  /** Starts the coordination; says why not where there is not one data source and a web server. */
  public static void start(Pools pools) {
    List<TunedPool> sources =
        pools.all().stream().filter(pool -> pool.kind() == Kind.CONNECTIONS).toList();
    Optional<TunedPool> web = pools.find(Pools.WEB);
    if (sources.size() != 1 || web.isEmpty()) {
      LOG.warn(
          "poolkeeper.coordinate has no effect: it needs a tuned web server and one tuned data"
              + " source, but tuned are "
              + pools.names());
      return;
    }
    coordinate(web.get(), sources.get(0));
  }

  static void coordinate(TunedPool web, TunedPool source) {
    CoordinatedPools pair = CoordinatedPools.of(web.settings().objective());
    web.range().coordinate(pair.threads());
    source.range().coordinate(pair.connections());
  }
}
