package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.file.DistributionReader;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.clients.file.Probabilities;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.model.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what a tier does for a request, and notes which tiers it calls and where that stands. */
final class StepReader {

  private static final List<String> KINDS = List.of("cpu", "wait", "use", "call", "hold", "choose");
  private static final Map<String, List<String>> OPTIONS =
      Map.of(
          "cpu", List.of(),
          "wait", List.of(),
          "use", List.of("amount"),
          "call", List.of("times", "through"),
          "hold", List.of("work"),
          "choose", List.of());

  private final Set<String> tiers;
  private final Set<String> stations;
  private final Set<String> pools;
  private final Map<String, Entry> calls = new LinkedHashMap<>();

  /**
   * @param tiers names that may be called
   * @param stations names that may be used
   * @param pools names that may be held
   */
  StepReader(Set<String> tiers, Set<String> stations, Set<String> pools) {
    this.tiers = tiers;
    this.stations = stations;
    this.pools = pools;
  }

  /** The tiers called so far, each with the first place that calls it. */
  Map<String, Entry> calls() {
    return calls;
  }

  List<Step> steps(Entry work) throws BadInput {
    List<Step> steps = new ArrayList<>();
    for (Entry each : work.elements()) {
      steps.add(step(each));
    }
    return steps;
  }

  private Step step(Entry entry) throws BadInput {
    Map<String, Entry> members = entry.named("steps");
    List<String> kinds = KINDS.stream().filter(members::containsKey).toList();
    if (kinds.size() > 1) {
      throw entry.error("must be one step, but is both " + String.join(" and ", kinds));
    }
    if (kinds.isEmpty()) {
      entry.group(KINDS);
    }
    String kind = kinds.get(0);
    List<String> settings = new ArrayList<>(OPTIONS.getOrDefault(kind, List.of()));
    settings.add(kind);
    settings.add("probability");
    Entry.Group group = entry.group(settings);
    Step step = step(kind, group.require(kind), group);
    Entry probability = group.get("probability");
    if (probability == null) {
      return step;
    }
    double with = Probabilities.read(probability);
    return Step.choose(Step.with(with, step), Step.with(1 - with));
  }

  private Step step(String kind, Entry value, Entry.Group group) throws BadInput {
    return switch (kind) {
      case "cpu" -> {
        if (!stations.contains(Step.CPU)) {
          throw value.error("needs cores, which its tier does not have");
        }
        yield Step.cpu(DistributionReader.TIME.read(value));
      }
      case "wait" -> Step.sleep(DistributionReader.TIME.read(value));
      case "use" -> {
        Entry amount = group.get("amount");
        yield Step.use(
            value.word("station", stations),
            amount == null ? Distribution.constant(1) : DistributionReader.AMOUNT.read(amount));
      }
      case "call" -> call(value, group);
      case "hold" ->
          Step.holding(
              value.word("pool", pools), steps(group.require("work")).toArray(Step[]::new));
      default -> choose(value);
    };
  }

  private Step call(Entry value, Entry.Group group) throws BadInput {
    String tier = value.word("tier", tiers);
    calls.putIfAbsent(tier, value);
    Entry times = group.get("times");
    Step.Call once = Step.call(tier);
    Entry through = group.get("through");
    Step call = through == null ? once : Step.holding(through.word("pool", pools), once);
    return times == null
        ? call
        : new Step.Repeat(
            times.number(
                1e-9,
                Step.Repeat.MOST_TIMES,
                "a number above 0 and at most " + Step.Repeat.MOST_TIMES),
            call);
  }

  private Step choose(Entry value) throws BadInput {
    List<Step.Case> cases = new ArrayList<>();
    double sum = 0;
    for (Entry each : value.elements()) {
      Entry.Group group = each.group("probability", "work");
      double probability = Probabilities.read(group.require("probability"));
      sum += probability;
      Entry work = group.get("work");
      cases.add(new Step.Case(probability, work == null ? List.of() : steps(work)));
    }
    Probabilities.requireSum(value, sum);
    return new Step.Choose(cases);
  }
}
