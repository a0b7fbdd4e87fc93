package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.file.DistributionReader;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.clients.file.Quantities;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.model.CpuQuota;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Station;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Reads what does the work of a tier: its cores, its disks, and what disturbs them. */
final class StationReader {

  private static final List<String> NOISES = List.of("wander", "drops_to", "gc_pause");

  private StationReader() {}

  /** The cores of a tier by the settings of the tier itself, or null if it has none. */
  static @Nullable Station cpu(Entry.Group tier) throws BadInput {
    Entry cores = tier.get("cores");
    if (cores == null) {
      tier.refuse(
          "needs cores, which this tier does not have", "scheduling", "overhead", "noise", "quota");
      return null;
    }
    Entry scheduling = tier.get("scheduling");
    boolean shared =
        scheduling == null
            || scheduling.word("scheduling", List.of("shared", "first-come")).equals("shared");
    Entry overhead = tier.get("overhead");
    return new Station.Cpu(
        cores.whole(1, Entry.MOST),
        shared,
        overhead == null ? 0 : overhead.number(),
        noise(tier.get("noise")),
        quota(tier.get("quota")));
  }

  /** A station whose rate depends on the number of tasks at it. */
  static Station curve(Entry entry) throws BadInput {
    Entry.Group group = entry.group("rates", "cpu_per_task", "changes", "noise");
    Entry cpu = group.get("cpu_per_task");
    Station.Curve curve =
        new Station.Curve(
            List.of(new Station.Change(0, rates(group.require("rates")))),
            cpu == null ? Station.Curve.NOT_MEASURED : cpu.seconds(),
            noise(group.get("noise")));
    Entry changes = group.get("changes");
    if (changes != null) {
      for (Entry each : changes.elements()) {
        Entry.Group change = each.group("at", "rates");
        Entry at = change.require("at");
        try {
          curve = curve.then(at.positiveSeconds(), rates(change.require("rates")));
        } catch (IllegalArgumentException e) {
          throw at.error(e);
        }
      }
    }
    return curve;
  }

  /**
   * Rates by numbers of tasks, straight lines in between; below the first in proportion to the
   * number of tasks, above the last as there.
   */
  private static IntToDoubleFunction rates(Entry entry) throws BadInput {
    NavigableMap<Integer, Double> points = new TreeMap<>();
    for (Map.Entry<String, Entry> each : entry.named("numbers of tasks").entrySet()) {
      double tasks = Quantities.number(each.getKey());
      if (!(tasks >= 1 && tasks <= Entry.MOST && tasks == Math.rint(tasks))) {
        throw each.getValue().error("must be named by a number of tasks, 1 or more");
      }
      points.put((int) tasks, each.getValue().perSecond(true));
    }
    return new RateCurve(points);
  }

  private record RateCurve(NavigableMap<Integer, Double> points) implements IntToDoubleFunction {
    @Override
    public double applyAsDouble(int tasks) {
      Map.Entry<Integer, Double> above = points.ceilingEntry(tasks);
      if (above == null) {
        return points.lastEntry().getValue();
      }
      Map.Entry<Integer, Double> below = points.floorEntry(tasks);
      int from = below == null ? 0 : below.getKey();
      double low = below == null ? 0 : below.getValue();
      return above.getKey() == from
          ? low
          : low + (above.getValue() - low) * (tasks - from) / (above.getKey() - from);
    }
  }

  private static Optional<CpuQuota> quota(@Nullable Entry entry) throws BadInput {
    if (entry == null) {
      return Optional.empty();
    }
    Entry.Group group = entry.group("cores", "period", "burst", "offset");
    Entry cores = group.require("cores");
    Entry period = group.require("period");
    Entry offset = group.get("offset");
    double most = cores.number();
    if (most <= 0) {
      throw cores.mustBe("a number above 0");
    }
    double seconds = period.seconds();
    if (seconds < CpuQuota.SHORTEST_PERIOD) {
      throw period.mustBe("1ms or longer");
    }
    CpuQuota quota = CpuQuota.of(most, seconds).burst(group.seconds("burst", 0));
    if (offset == null) {
      return Optional.of(quota);
    }
    if (offset.seconds() >= seconds) {
      throw offset.mustBe("shorter than the period of " + period.text());
    }
    return Optional.of(quota.offset(offset.seconds()));
  }

  private static List<Noise> noise(@Nullable Entry entry) throws BadInput {
    List<Noise> noises = new ArrayList<>();
    if (entry != null) {
      for (Entry each : entry.elements()) {
        try {
          noises.add(single(each));
        } catch (IllegalArgumentException e) {
          throw each.error(e);
        }
      }
    }
    return noises;
  }

  private static Noise single(Entry entry) throws BadInput {
    Map<String, Entry> members = entry.named("noises");
    if (members.containsKey("wander")) {
      Entry.Group group = entry.group("wander", "correlation", "interval");
      Entry correlation = group.get("correlation");
      return new Noise.Wander(
          group.require("wander").number(),
          correlation == null ? 0 : correlation.number(0, 1, "within 0..1"),
          group.seconds("interval", 1));
    }
    if (members.containsKey("drops_to")) {
      Entry.Group group = entry.group("drops_to", "every", "for");
      return new Noise.Drops(
          group.require("drops_to").number(0, 1, "a fraction of the speed, 0..1"),
          DistributionReader.TIME.read(group.require("every")),
          DistributionReader.TIME.read(group.require("for")));
    }
    if (members.containsKey("gc_pause")) {
      Entry.Group group = entry.group("gc_pause", "every", "growth");
      Entry growth = group.get("growth");
      Distribution pause = DistributionReader.TIME.read(group.require("gc_pause"));
      return new Noise.GcPauses(
          DistributionReader.TIME.read(group.require("every")),
          pause,
          growth == null ? 0 : growth.number());
    }
    entry.group(NOISES);
    throw entry.error("must name a noise: " + String.join(", ", NOISES));
  }
}
