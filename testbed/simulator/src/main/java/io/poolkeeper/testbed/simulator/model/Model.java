package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Clients;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A service and its clients. Immutable: one model serves many runs, on many threads.
 *
 * @param tiers by name; the first gets the requests of clients that name none
 * @param stations stations that tiers share, by name: one disk of several servers
 * @param pools pools that tiers share, by name
 * @param clients by name
 */
public record Model(
    Map<String, Tier> tiers,
    Map<String, Station> stations,
    Map<String, Pool> pools,
    Map<String, Clients> clients) {

  /**
   * @throws IllegalArgumentException naming what does not exist, with the nearest that does, or the
   *     tiers that call each other in a cycle
   */
  public Model {
    tiers = Collections.unmodifiableMap(new LinkedHashMap<>(tiers));
    stations = Collections.unmodifiableMap(new LinkedHashMap<>(stations));
    pools = Collections.unmodifiableMap(new LinkedHashMap<>(pools));
    clients = Collections.unmodifiableMap(new LinkedHashMap<>(clients));
    new ModelCheck(tiers, stations, pools, clients).check();
  }

  /** Begins the description of a model. */
  public static Builder builder() {
    return new Builder();
  }

  /** A model of one tier. */
  public static Model of(Tier tier, Clients clients) {
    return builder().tier(tier).clients(clients).build();
  }

  /** The tier that gets the requests of these clients. */
  public Tier entry(Clients of) {
    Tier named = tiers.get(of.tier());
    return named != null ? named : tiers.values().iterator().next();
  }

  /** Describes a model. */
  public static final class Builder {
    private final List<Tier> tiers = new ArrayList<>();
    private final Map<String, Station> stations = new LinkedHashMap<>();
    private final Map<String, Pool> pools = new LinkedHashMap<>();
    private final List<Clients> clients = new ArrayList<>();

    private Builder() {}

    /** Adds a tier. */
    public Builder tier(Tier tier) {
      tiers.add(tier);
      return this;
    }

    /** Adds a station that tiers share. */
    public Builder station(String name, Station station) {
      stations.put(name, station);
      return this;
    }

    /** Adds a pool that tiers share. */
    public Builder pool(String name, Pool pool) {
      pools.put(name, pool);
      return this;
    }

    /** Adds clients. */
    public Builder clients(Clients more) {
      clients.add(more);
      return this;
    }

    /**
     * The model.
     *
     * @throws IllegalArgumentException naming the setting, the value and the rule
     */
    public Model build() {
      Map<String, Tier> tiersByName = new LinkedHashMap<>();
      for (Tier tier : tiers) {
        unique("tier", tier.name(), tiersByName.put(tier.name(), tier) != null);
      }
      Map<String, Clients> clientsByName = new LinkedHashMap<>();
      for (Clients each : clients) {
        unique("clients", each.name(), clientsByName.put(each.name(), each) != null);
      }
      return new Model(tiersByName, stations, pools, clientsByName);
    }

    private static void unique(String what, String name, boolean again) {
      if (again) {
        throw new IllegalArgumentException(
            "names of %s must differ, but '%s' occurs twice".formatted(what, name));
      }
    }
  }
}
