package io.poolkeeper.spring.pools;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Keeps the connections of a data source at no more than the threads of the web server can use. A
 * request that takes {@code k} connections one after the other, each for the time {@code c}, and
 * {@code s} in all without waits for connections, holds one for the fraction {@code k c / s} of its
 * time. So {@code n} threads use {@code n k c / s} connections where nobody waits. A tenth more and
 * one are allowed.
 *
 * <p>It only lowers the largest size of the data source. Uses of connections by other threads count
 * as if requests made them, which makes it larger.
 */
public final class Coordination implements ControlListener {

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  private static final double MARGIN = 1.1;

  /** Requests and uses of connections below which nothing is concluded. */
  private static final double ENOUGH = 50;

  private final TunedPool connections;
  private final Sums requests = new Sums();
  private final Sums uses = new Sums();
  private int threads;

  Coordination(TunedPool connections) {
    this.connections = connections;
  }

  /** Starts the coordination; says why not where there is not one data source and a web server. */
  public static void start(Pools pools) {
    List<TunedPool> sources =
        pools.all().stream().filter(pool -> pool.kind() == Kind.CONNECTIONS).toList();
    if (sources.size() != 1 || pools.find(Pools.WEB).isEmpty()) {
      LOG.warn(
          "poolkeeper.coordinate has no effect: it needs a tuned web server and one tuned data"
              + " source, but tuned are "
              + pools.names());
      return;
    }
    pools.listen(new Coordination(sources.get(0)));
  }

  /** Windows of both pools come on different threads. */
  @Override
  public synchronized void onWindow(Resizable pool, Window window) {
    if (pool.name().equals(Pools.WEB)) {
      threads = window.size();
      requests.add(window);
    } else if (pool.name().equals(connections.name())) {
      uses.add(window);
      connections.range().ceiling(ceiling());
    }
  }

  /** Largest number of connections that the threads can use. */
  private int ceiling() {
    if (requests.count < ENOUGH || uses.count < ENOUGH) {
      return Integer.MAX_VALUE;
    }
    double perRequest = uses.count / requests.count;
    double service = requests.service / requests.count - perRequest * uses.wait / uses.count;
    double used = perRequest * uses.service / uses.count;
    if (!(service > 0)) {
      return Integer.MAX_VALUE;
    }
    return (int) Math.min(Integer.MAX_VALUE, 1 + Math.ceil(MARGIN * threads * used / service));
  }

  /** Sums of the last windows; older ones fade. */
  private static final class Sums {

    /** Weight of a window in comparison with the one after it. */
    private static final double FADING = 0.95;

    private double count;
    private double service;
    private double wait;

    void add(Window window) {
      TimeStats times = window.serviceTime();
      count = FADING * count + times.count();
      service = FADING * service + times.count() * times.mean();
      wait = FADING * wait + window.queueWait().count() * window.queueWait().mean();
    }
  }
}
