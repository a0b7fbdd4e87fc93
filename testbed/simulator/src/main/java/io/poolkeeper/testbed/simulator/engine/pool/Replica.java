package io.poolkeeper.testbed.simulator.engine.pool;

import io.poolkeeper.testbed.simulator.engine.station.Server;
import io.poolkeeper.testbed.simulator.engine.station.SharingServer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One server of a tier: what it owns, and how many requests are in it. */
public final class Replica {

  public final Map<String, Server> servers = new LinkedHashMap<>();
  public final Map<String, SimulatedPool> pools = new LinkedHashMap<>();
  public @Nullable SimulatedPool workers;

  /** Requests in it, waiting ones included. */
  public int requests;

  /** Nanoseconds for which garbage collections have stopped it since the start. */
  public double collected;

  /** Cores that a garbage collection uses. */
  public int cores;

  /**
   * Server that busy workers slow down, each of them by {@code overhead}; null if there is none.
   */
  public @Nullable SharingServer slowed;

  public double overhead;

  /** The number of busy workers has changed. */
  void busyChanged(int busy, long now) {
    if (slowed != null) {
      slowed.overhead(1 / (1 + overhead * Math.max(0, busy - slowed.cores)), now);
    }
  }

  /** CPU nanoseconds that its stations used since the start; NaN if one does not know. */
  double cpu(long now) {
    double cpu = 0;
    for (Server server : servers.values()) {
      cpu += server.cpuMeasured() ? server.cpu(now) : Double.NaN;
    }
    return cpu;
  }
}
