package io.poolkeeper.testbed.simulator;

import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.simulator.statistics.PoolStats;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import io.poolkeeper.testbed.simulator.statistics.StationStats;
import java.util.List;
import java.util.function.Function;

/**
 * Measurements of a run after its warm-up. Standard errors are those of batch means.
 *
 * @param requests what clients saw of each request
 * @param pools what happened in each pool
 * @param stations what happened at each station
 * @param events events of the run, warm-up included
 * @param seconds virtual time after the warm-up
 */
public record Result(
    List<RequestStats> requests,
    List<PoolStats> pools,
    List<StationStats> stations,
    long events,
    double seconds) {

  /** The only request of the run. */
  public RequestStats request() {
    if (requests.size() != 1) {
      throw new IllegalStateException(
          "the run has %d requests, so one must be named".formatted(requests.size()));
    }
    return requests.get(0);
  }

  /** A request by its name. */
  public RequestStats request(String name) {
    return find("request", name, requests, RequestStats::request);
  }

  /** A pool by its name. */
  public PoolStats pool(String name) {
    return find("pool", name, pools, PoolStats::name);
  }

  /** A station by its name. */
  public StationStats station(String name) {
    return find("station", name, stations, StationStats::name);
  }

  private static <T> T find(String what, String name, List<T> all, Function<T, String> nameOf) {
    Names.require(what, name, all.stream().map(nameOf).toList());
    return all.stream().filter(each -> nameOf.apply(each).equals(name)).findFirst().orElseThrow();
  }
}
