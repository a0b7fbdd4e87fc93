package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.file.ClientDescription;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.clients.file.Quantities;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.file.RunPlan.Method;
import java.util.ArrayList;
import java.util.List;

/** Reads how long and how often the model runs. */
final class RunReader {

  private static final int MOST_PARTS = 10_000;
  private static final int REPLICATIONS = 10;

  /** Virtual seconds, about 31 years: nanoseconds of a run still fit into 63 bits. */
  private static final double LONGEST = 1e9;

  private static final double PERCENT = 100;
  private static final double CONFIDENCE = 0.95;

  private RunReader() {}

  static RunPlan read(Entry entry, List<ClientDescription> clients) throws BadInput {
    Entry.Group group =
        entry.group("for", "warm_up", "seed", "replications", "batches", "confidence", "bounds");
    boolean phased = clients.stream().anyMatch(RunReader::inPhases);
    double seconds = seconds(group, clients, phased);
    Entry warmUp = group.get("warm_up");
    double warm = warmUp == null ? 0 : warmUp.seconds();
    if (warmUp != null && warm >= seconds) {
      throw warmUp.mustBe("shorter than the run, which lasts " + Quantities.spoken(seconds));
    }
    Entry batches = group.get("batches");
    if (batches != null) {
      group.refuse("must be left out where batches of one run are used", "replications");
      if (phased) {
        throw batches.error(
            "are parts of one run that are alike, which phases are not; use replications");
      }
    }
    return new RunPlan(
        seconds,
        warm,
        group.whole("seed", 0, Integer.MAX_VALUE, 1),
        batches == null ? Method.REPLICATIONS : Method.BATCHES,
        batches == null
            ? group.whole("replications", 1, MOST_PARTS, REPLICATIONS)
            : batches.whole(2, MOST_PARTS),
        confidence(group),
        bounds(group));
  }

  private static boolean inPhases(ClientDescription clients) {
    return Double.isFinite(clients.phases().get(0).seconds());
  }

  private static double seconds(Entry.Group group, List<ClientDescription> clients, boolean phased)
      throws BadInput {
    if (!phased) {
      Entry length = group.require("for");
      double seconds = length.positiveSeconds();
      if (seconds > LONGEST) {
        throw length.mustBe("at most " + Quantities.spoken(LONGEST));
      }
      return seconds;
    }
    group.refuse("must be left out: the phases of the clients say how long a run is", "for");
    double seconds =
        clients.stream()
            .filter(RunReader::inPhases)
            .mapToDouble(each -> each.phases().stream().mapToDouble(Phase::seconds).sum())
            .max()
            .orElseThrow();
    if (seconds > LONGEST) {
      throw group
          .entry()
          .error(
              "must last at most %s, but the phases of the clients last %s"
                  .formatted(Quantities.spoken(LONGEST), Quantities.spoken(seconds)));
    }
    return seconds;
  }

  private static List<Double> bounds(Entry.Group group) throws BadInput {
    Entry entry = group.get("bounds");
    if (entry == null) {
      return List.of();
    }
    List<Double> bounds = new ArrayList<>();
    for (Entry each : entry.elements()) {
      double bound = each.positiveSeconds();
      if (bounds.contains(bound)) {
        throw each.error("stands here for the second time");
      }
      bounds.add(bound);
    }
    return bounds;
  }

  private static double confidence(Entry.Group group) throws BadInput {
    Entry entry = group.get("confidence");
    if (entry == null) {
      return CONFIDENCE;
    }
    String text = entry.text();
    double percent =
        text.endsWith("%") ? Quantities.number(text.substring(0, text.length() - 1)) : Double.NaN;
    if (!(percent >= 50 && percent < PERCENT)) {
      throw entry.mustBe("a level of 50% to below 100%, such as 95%");
    }
    return percent / PERCENT;
  }
}
