package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds requests that can wait for each other for ever: pools, workers included, of which units are
 * taken while one of another is held, in orders that close a cycle (the circular wait of Coffman,
 * Elphick and Shoshani 1971). A cycle can become a deadlock; it need not.
 */
final class HoldOrder {

  private final Model model;

  /** Names of the pools taken while a unit of a pool is held, by the name of the pool held. */
  private final Map<String, Set<String>> next = new LinkedHashMap<>();

  HoldOrder(Model model) {
    this.model = model;
    for (Clients clients : model.clients().values()) {
      for (String request : clients.names()) {
        visit(model.entry(clients), request, new ArrayList<>());
      }
    }
  }

  /** The first cycle, for people. */
  Optional<String> warning() {
    for (String pool : next.keySet()) {
      List<String> cycle = new ArrayList<>(List.of(pool));
      if (leadsTo(pool, pool, cycle, new LinkedHashSet<>())) {
        return Optional.of(
            "requests can wait for each other for ever (deadlock), as they take in a cycle: "
                + String.join(" -> ", cycle));
      }
    }
    return Optional.empty();
  }

  private boolean leadsTo(String end, String from, List<String> path, Set<String> seen) {
    for (String pool : next.getOrDefault(from, Set.of())) {
      path.add(pool);
      if (pool.equals(end) || (seen.add(pool) && leadsTo(end, pool, path, seen))) {
        return true;
      }
      path.remove(path.size() - 1);
    }
    return false;
  }

  private void visit(Tier tier, String request, List<String> held) {
    List<Step> program = tier.program(request).orElse(List.of());
    if (tier.workers().isPresent()) {
      holding("workers of " + tier.name(), tier, request, program, held);
    } else {
      steps(tier, request, program, held);
    }
  }

  private void holding(
      String pool, Tier tier, String request, List<Step> steps, List<String> held) {
    held.forEach(each -> next.computeIfAbsent(each, name -> new LinkedHashSet<>()).add(pool));
    held.add(pool);
    steps(tier, request, steps, held);
    held.remove(held.size() - 1);
  }

  private void steps(Tier tier, String request, List<Step> steps, List<String> held) {
    for (Step step : steps) {
      if (step instanceof Step.Call call) {
        Tier called = model.tiers().get(call.tier());
        if (called != null) {
          visit(called, request, held);
        }
      } else if (step instanceof Step.Repeat repeat) {
        steps(tier, request, List.of(repeat.step()), held);
      } else if (step instanceof Step.Choose choose) {
        choose.cases().forEach(each -> steps(tier, request, each.steps(), held));
      } else if (step instanceof Step.Hold hold) {
        boolean own = tier.pools().containsKey(hold.pool());
        String pool = own ? tier.name() + "." + hold.pool() : hold.pool();
        holding(pool, tier, request, hold.steps(), held);
      }
    }
  }
}
