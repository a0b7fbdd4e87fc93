package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.testbed.clients.file.DistributionReader;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.model.Balancer;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Reads the tiers, and finds cycles in their calls while the lines are known. */
final class TierReader {

  private static final String[] SETTINGS = {
    "replicas",
    "balancer",
    "workers",
    "cores",
    "scheduling",
    "overhead",
    "quota",
    "noise",
    "stations",
    "pools",
    "linger",
    "work",
    "work_for"
  };

  private final PoolReader pools;
  private final Map<String, Station> sharedStations;
  private final Map<String, Pool> sharedPools;
  private final Map<String, Map<String, Entry>> calls = new LinkedHashMap<>();
  private final List<Entry> ownWork = new ArrayList<>();

  TierReader(PoolReader pools, Map<String, Station> sharedStations, Map<String, Pool> sharedPools) {
    this.pools = pools;
    this.sharedStations = sharedStations;
    this.sharedPools = sharedPools;
  }

  /** All tiers, in the order of the file. */
  Map<String, Tier> tiers(Entry entry) throws BadInput {
    Map<String, Entry> named = entry.named("tiers");
    Map<String, Tier> tiers = new LinkedHashMap<>();
    for (Map.Entry<String, Entry> each : named.entrySet()) {
      tiers.put(each.getKey(), tier(each.getKey(), each.getValue(), named.keySet()));
    }
    for (String tier : tiers.keySet()) {
      refuseCycle(tier, new LinkedHashSet<>());
    }
    return tiers;
  }

  /**
   * Requires that clients send the requests for which tiers have work of their own: what is meant
   * for a request of a mistyped name would silently not be done.
   *
   * @param requests names of all requests that clients send
   */
  void requireSent(Collection<String> requests) throws BadInput {
    for (Entry work : ownWork) {
      work.requireNameIn("request", requests);
    }
  }

  private Tier tier(String name, Entry entry, Set<String> tiers) throws BadInput {
    Entry.Group group = entry.group(SETTINGS);
    Tier.Builder tier = Tier.named(name);
    tier.replicas(group.whole("replicas", 1, Entry.MOST, 1), balancer(group));
    int cores = group.whole("cores", 1, Entry.MOST, 1);
    Entry workers = group.get("workers");
    if (workers != null) {
      tier.workers(pools.pool(name, workers, cores));
    }
    Entry linger = group.get("linger");
    if (linger != null) {
      if (workers == null) {
        throw linger.error("needs workers, which its tier does not have");
      }
      tier.linger(DistributionReader.TIME.read(linger));
    }
    Set<String> stations = new LinkedHashSet<>(sharedStations.keySet());
    Station cpu = StationReader.cpu(group);
    if (cpu != null) {
      tier.cpu(cpu);
      stations.add(Step.CPU);
    }
    for (Map.Entry<String, Entry> each : named(group, "stations").entrySet()) {
      tier.station(each.getKey(), StationReader.curve(each.getValue()));
      stations.add(each.getKey());
    }
    Set<String> held = new LinkedHashSet<>(sharedPools.keySet());
    for (Map.Entry<String, Entry> each : named(group, "pools").entrySet()) {
      tier.pool(each.getKey(), pools.pool(name + "." + each.getKey(), each.getValue(), cores));
      held.add(each.getKey());
    }
    StepReader steps = new StepReader(tiers, stations, held);
    if (!group.has("work_for")) {
      group.require("work");
    }
    Entry work = group.get("work");
    if (work != null) {
      tier.serve(Tier.ANY, steps.steps(work));
    }
    for (Map.Entry<String, Entry> each : named(group, "work_for").entrySet()) {
      tier.serve(each.getKey(), steps.steps(each.getValue()));
      ownWork.add(each.getValue());
    }
    calls.put(name, steps.calls());
    try {
      return tier.build();
    } catch (IllegalArgumentException e) {
      throw entry.error(e);
    }
  }

  private static Map<String, Entry> named(Entry.Group group, String setting) throws BadInput {
    Entry found = group.get(setting);
    return found == null ? Map.of() : found.named(setting);
  }

  private static Balancer balancer(Entry.Group group) throws BadInput {
    Entry entry = group.get("balancer");
    if (entry == null) {
      return Balancer.ROUND_ROBIN;
    }
    String word =
        entry.word("balancer", Stream.of(Balancer.values()).map(TierReader::written).toList());
    return Balancer.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  private static String written(Balancer balancer) {
    return balancer.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private void refuseCycle(String tier, Set<String> path) throws BadInput {
    path.add(tier);
    for (Map.Entry<String, Entry> call : calls.getOrDefault(tier, Map.of()).entrySet()) {
      if (path.contains(call.getKey())) {
        String cycle = String.join(" -> ", path);
        throw call.getValue()
            .error(
                "closes a cycle, in which a request could hold every worker: %s -> %s"
                    .formatted(cycle.substring(cycle.indexOf(call.getKey())), call.getKey()));
      }
      refuseCycle(call.getKey(), path);
    }
    path.remove(tier);
  }
}
