package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.commands.Names;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Checks that what a model names exists, and that no request can come back to a tier it is in. */
final class ModelCheck {

  private final Map<String, Tier> tiers;
  private final Map<String, Station> stations;
  private final Map<String, Pool> pools;
  private final Map<String, Clients> clients;
  private final Set<String> checked = new HashSet<>();

  ModelCheck(
      Map<String, Tier> tiers,
      Map<String, Station> stations,
      Map<String, Pool> pools,
      Map<String, Clients> clients) {
    this.tiers = tiers;
    this.stations = stations;
    this.pools = pools;
    this.clients = clients;
  }

  void check() {
    if (tiers.isEmpty()) {
      throw new IllegalArgumentException("a model must have a tier");
    }
    if (clients.isEmpty()) {
      throw new IllegalArgumentException("a model must have clients");
    }
    // By declaration first, so that what no client reaches is checked as well.
    for (Tier tier : tiers.values()) {
      for (Map.Entry<String, List<Step>> program : tier.programs().entrySet()) {
        checkSteps(tier, program.getValue(), new ArrayDeque<>());
      }
    }
    for (Tier tier : tiers.values()) {
      checkCycles(tier, new ArrayDeque<>());
    }
    for (Clients each : clients.values()) {
      if (each instanceof Clients.Arriving arriving
          && arriving.requests() instanceof Requests.Chain chain
          && chain.goesBack()) {
        throw new IllegalArgumentException(
            "chain of clients '%s' must not go '%s': sessions that arrive have no history in the simulator, closed users have"
                .formatted(each.name(), Requests.BACK));
      }
      String entry =
          each.tier().isEmpty()
              ? tiers.keySet().iterator().next()
              : Names.require("tier of clients " + each.name(), each.tier(), tiers.keySet());
      for (String request : each.names()) {
        checkServed(entry, request);
      }
    }
  }

  private void checkSteps(Tier tier, List<Step> steps, Deque<String> held) {
    for (Step step : steps) {
      if (step instanceof Step.Use use) {
        requireIn("station", use.station(), tier, tier.stations().keySet(), stations.keySet());
      } else if (step instanceof Step.Call call) {
        Names.require("tier called by '" + tier.name() + "'", call.tier(), tiers.keySet());
      } else if (step instanceof Step.Repeat repeat) {
        checkSteps(tier, List.of(repeat.step()), held);
      } else if (step instanceof Step.Choose choose) {
        choose.cases().forEach(each -> checkSteps(tier, each.steps(), held));
      } else if (step instanceof Step.Hold hold) {
        requireIn("pool", hold.pool(), tier, tier.pools().keySet(), pools.keySet());
        if (held.contains(hold.pool())) {
          throw new IllegalArgumentException(
              "pool '%s' of tier '%s' must not be held twice by one request"
                  .formatted(hold.pool(), tier.name()));
        }
        held.push(hold.pool());
        checkSteps(tier, hold.steps(), held);
        held.pop();
      }
    }
  }

  private static void requireIn(
      String what, String name, Tier tier, Set<String> own, Set<String> shared) {
    Set<String> names = new TreeSet<>(own);
    names.addAll(shared);
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown %s '%s' of tier '%s': it has none".formatted(what, name, tier.name()));
    }
    Names.require(what + " of tier '" + tier.name() + "'", name, names);
  }

  private void checkCycles(Tier tier, Deque<String> path) {
    if (path.contains(tier.name())) {
      StringBuilder cycle = new StringBuilder();
      path.descendingIterator().forEachRemaining(name -> cycle.append(name).append(" -> "));
      throw new IllegalArgumentException(
          "tiers must not call each other in a cycle, but do: " + cycle + tier.name());
    }
    if (checked.contains(tier.name())) {
      return;
    }
    path.push(tier.name());
    for (List<Step> program : tier.programs().values()) {
      for (String called : calls(program)) {
        checkCycles(Objects.requireNonNull(tiers.get(called)), path);
      }
    }
    path.pop();
    checked.add(tier.name());
  }

  private void checkServed(String name, String request) {
    if (!checked.add(name + "/" + request)) {
      return;
    }
    Tier tier = Objects.requireNonNull(tiers.get(name));
    List<Step> program =
        tier.program(request)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "tier '%s' must serve '%s', but serves only %s"
                            .formatted(name, request, tier.programs().keySet())));
    for (String called : calls(program)) {
      checkServed(called, request);
    }
  }

  private static Set<String> calls(List<Step> steps) {
    Set<String> called = new TreeSet<>();
    for (Step step : steps) {
      if (step instanceof Step.Call call) {
        called.add(call.tier());
      } else if (step instanceof Step.Repeat repeat) {
        called.addAll(calls(List.of(repeat.step())));
      } else if (step instanceof Step.Hold hold) {
        called.addAll(calls(hold.steps()));
      } else if (step instanceof Step.Choose choose) {
        choose.cases().forEach(each -> called.addAll(calls(each.steps())));
      }
    }
    return called;
  }
}
