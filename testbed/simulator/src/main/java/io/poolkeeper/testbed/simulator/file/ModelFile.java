package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.file.ClientDescription;
import io.poolkeeper.testbed.clients.file.ClientsReader;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A model file, read and checked.
 *
 * @param path where it is
 * @param question what it asks, in one sentence
 * @param model the system and its clients
 * @param clients who sends requests, in the order of the file
 * @param governors what sizes pools: by the name of a tier for its workers, {@code tier.pool} for
 *     another pool of a tier, and the plain name for one that tiers share
 * @param run how long and how often
 * @param document the file's content as it stands: mappings, lists and scalars
 */
public record ModelFile(
    Path path,
    String question,
    Model model,
    List<ClientDescription> clients,
    Map<String, Governor> governors,
    RunPlan run,
    Map<String, Object> document) {

  /** Name of the model: that of its file. */
  public String name() {
    String file = String.valueOf(path.getFileName());
    int end = file.lastIndexOf('.');
    return end <= 0 ? file : file.substring(0, end);
  }

  /** The complaint that the clients are more than can be simulated. */
  public BadInput tooMuch(String message) {
    return new BadInput("%s:%d: clients: %s".formatted(path, clients.get(0).line(), message));
  }

  /** Its pools by the names of {@link #governors}, workers first, tier by tier. */
  public Map<String, Pool> pools() {
    Map<String, Pool> pools = new LinkedHashMap<>();
    model
        .tiers()
        .forEach(
            (name, tier) -> {
              tier.workers().ifPresent(workers -> pools.put(name, workers));
              tier.pools().forEach((own, pool) -> pools.put(name + "." + own, pool));
            });
    pools.putAll(model.pools());
    return pools;
  }

  /** The names under which the pools of {@link #pools} run: one for each replica of their tier. */
  public List<String> instances(String role) {
    String tier = role.replaceFirst("\\..*", "");
    Tier owner = model.pools().containsKey(role) ? null : model.tiers().get(tier);
    if (owner == null || owner.replicas() == 1) {
      return List.of(role);
    }
    return IntStream.rangeClosed(1, owner.replicas())
        .mapToObj(replica -> tier + "-" + replica + role.substring(tier.length()))
        .toList();
  }

  /** The phases of clients as far as they count: after the warm-up, until the end of the run. */
  public List<Phase> countedPhases(ClientDescription played) {
    List<Phase> counted = new ArrayList<>();
    double from = 0;
    for (Phase phase : played.phases()) {
      double to = Math.min(run.seconds(), from + phase.seconds());
      double start = Math.max(from, run.warmUp());
      if (start < to) {
        counted.add(phase.between(start - from, to - from));
      }
      from = to;
    }
    return counted;
  }

  /**
   * Reads a file.
   *
   * @throws BadInput with file, line and setting of the first thing that is wrong
   */
  public static ModelFile read(Path path) throws BadInput {
    Entry root = Entry.read(path);
    Entry.Group group = root.group("question", "clients", "tiers", "stations", "pools", "run");
    PoolReader pools = new PoolReader();
    Model.Builder model = Model.builder();
    Map<String, Station> stations = new LinkedHashMap<>();
    for (Map.Entry<String, Entry> each : named(group.get("stations"), "stations").entrySet()) {
      stations.put(each.getKey(), StationReader.curve(each.getValue()));
    }
    Map<String, Pool> shared = new LinkedHashMap<>();
    for (Map.Entry<String, Entry> each : named(group.get("pools"), "pools").entrySet()) {
      shared.put(each.getKey(), pools.pool(each.getKey(), each.getValue(), 1));
    }
    Entry tiersEntry = group.require("tiers");
    TierReader tierReader = new TierReader(pools, stations, shared);
    Map<String, Tier> tiers = tierReader.tiers(tiersEntry);
    Entry clientsEntry = clients(path, group.require("clients"));
    List<ClientDescription> clients = new ClientsReader(tiers.keySet()).all(clientsEntry);
    tierReader.requireSent(
        clients.stream().flatMap(each -> each.clients().names().stream()).toList());
    stations.forEach(model::station);
    shared.forEach(model::pool);
    tiers.values().forEach(model::tier);
    clients.forEach(each -> model.clients(each.clients()));
    try {
      return new ModelFile(
          path,
          group.require("question").text(),
          model.build(),
          clients,
          pools.governors(),
          RunReader.read(group.require("run"), clients),
          root.document());
    } catch (IllegalArgumentException e) {
      throw tiersEntry.error(e);
    }
  }

  /** The clients that stand here, or those of the load description that is named here. */
  private static Entry clients(Path model, Entry entry) throws BadInput {
    if (entry.isMapping() || entry.isList()) {
      return entry;
    }
    Path named = model.resolveSibling(entry.text());
    if (!Files.isReadable(named)) {
      throw entry.mustBe("clients, or a load description that can be read");
    }
    return Entry.read(named).group(ClientsReader.LOAD_DESCRIPTION).require("clients");
  }

  private static Map<String, Entry> named(@Nullable Entry entry, String what) throws BadInput {
    return entry == null ? Map.of() : entry.named(what);
  }
}
