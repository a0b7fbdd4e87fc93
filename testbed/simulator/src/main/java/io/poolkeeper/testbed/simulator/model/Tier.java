package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Require;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A server, or several equal ones behind a balancer: what each owns, and what it does for a
 * request.
 *
 * <p>Assumed: a request holds a worker of the tier from its start to its end, while it calls other
 * tiers as well; messages between tiers take no time unless a step says so; a request that is
 * refused, or whose call failed, ends at once as failed and gives everything back.
 *
 * <pre>{@code
 * Tier.named("web").workers(Pool.of(8)).cpu(Station.cpu(2)).pool("connections", Pool.of(4))
 *     .serve(Step.cpu(exponential(0.010)), Step.call("db").through("connections").times(2))
 *     .build()
 * }</pre>
 *
 * @param name name, unique in the model
 * @param replicas how many, 1 or more
 * @param balancer which replica gets a request
 * @param workers threads of each replica; empty: a thread for each request
 * @param stations stations of each replica by name
 * @param pools further pools of each replica by name: connections, locks
 * @param programs steps by the name of the request; {@link #ANY} for those not named
 * @param linger seconds for which a worker is held after the answer, until the caller has closed
 */
public record Tier(
    String name,
    int replicas,
    Balancer balancer,
    Optional<Pool> workers,
    Map<String, Station> stations,
    Map<String, Pool> pools,
    Map<String, List<Step>> programs,
    Optional<Distribution> linger) {

  /** Stands for any request that has no steps of its own. */
  public static final String ANY = "*";

  public Tier {
    Require.name("name of a tier", name);
    Require.atLeast("replicas of tier '" + name + "'", 1, replicas);
    stations = Collections.unmodifiableMap(new LinkedHashMap<>(stations));
    pools = Collections.unmodifiableMap(new LinkedHashMap<>(pools));
    programs = Collections.unmodifiableMap(new LinkedHashMap<>(programs));
    if (programs.isEmpty()) {
      throw new IllegalArgumentException("tier '" + name + "' must serve something");
    }
    if (linger.isPresent() && workers.isEmpty()) {
      throw new IllegalArgumentException(
          "tier '" + name + "' must have workers where they linger after the answer");
    }
  }

  /** Begins the description of a tier. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** The steps for a request of this name, or null if there are none. */
  public Optional<List<Step>> program(String request) {
    return Optional.ofNullable(programs.getOrDefault(request, programs.get(ANY)));
  }

  /** Describes a tier. */
  public static final class Builder {
    private final String name;
    private int replicas = 1;
    private Balancer balancer = Balancer.ROUND_ROBIN;
    private Optional<Pool> workers = Optional.empty();
    private final Map<String, Station> stations = new LinkedHashMap<>();
    private final Map<String, Pool> pools = new LinkedHashMap<>();
    private final Map<String, List<Step>> programs = new LinkedHashMap<>();
    private Optional<Distribution> linger = Optional.empty();

    private Builder(String name) {
      this.name = name;
    }

    /** Equal servers, and which of them gets a request; default one. */
    public Builder replicas(int replicas, Balancer balancer) {
      this.replicas = replicas;
      this.balancer = balancer;
      return this;
    }

    /** Threads of each replica; default one for each request. */
    public Builder workers(Pool workers) {
      this.workers = Optional.of(workers);
      return this;
    }

    /** Cores of each replica. */
    public Builder cpu(Station cpu) {
      return station(Step.CPU, cpu);
    }

    /** A station of each replica: a disk, for example. */
    public Builder station(String name, Station station) {
      stations.put(name, station);
      return this;
    }

    /** A pool of each replica apart from its workers: connections to another tier, a lock. */
    public Builder pool(String name, Pool pool) {
      pools.put(name, pool);
      return this;
    }

    /** Sets the seconds for which a worker is held after the answer; default none. */
    public Builder linger(Distribution time) {
      linger = Optional.of(time);
      return this;
    }

    /** Sets the steps of any request that has none of its own. */
    public Builder serve(Step... steps) {
      return serve(ANY, List.of(steps));
    }

    /** Sets the steps of a request of this name. */
    public Builder serve(String request, List<Step> steps) {
      programs.put(request, List.copyOf(steps));
      return this;
    }

    /**
     * The tier.
     *
     * @throws IllegalArgumentException naming the setting, the value and the rule
     */
    public Tier build() {
      return new Tier(name, replicas, balancer, workers, stations, pools, programs, linger);
    }
  }
}
