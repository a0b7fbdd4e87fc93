package io.poolkeeper.testbed.tunnel.course;

import io.poolkeeper.testbed.tunnel.plant.Plants;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** The loads of the tunnel; each lasts {@link #SECONDS}. */
public final class Loads {

  /** Length of every load: two minutes to arrive and two in which a controller may have settled. */
  public static final int SECONDS = 240;

  private static final int USERS = 100;
  private static final Demand MANY = new Demand.Closed(USERS, 0);
  private static final Demand NOBODY = new Demand.Closed(0, 0);

  /** All, by name, in the order in which they are shown. */
  public static final Map<String, Load> ALL = all();

  private Loads() {}

  private static Map<String, Load> all() {
    List<Load> loads = new ArrayList<>();
    for (int users : new int[] {1, 10, 100}) {
      loads.add(
          steady(
              "closed-" + users,
              users == 1 ? "one user who never rests" : users + " users who never rest",
              new Demand.Closed(users, 0)));
    }
    loads.add(
        steady("closed-1000", "1000 users who think for a second", new Demand.Closed(1000, 1)));
    for (double share : new double[] {0.3, 0.6, 0.9, 1.1, 1.3}) {
      loads.add(open("open-", share, "Poisson arrivals", 0));
    }
    for (double share : new double[] {0.6, 0.9}) {
      loads.add(open("bursty-", share, "arrivals in bursts of 5 s", 0.8));
    }
    loads.add(
        new Load(
            "steps",
            "100 users, 1, 100 and 10, for a minute each",
            plant ->
                IntStream.of(100, 1, 100, 10)
                    .mapToObj(users -> new Stage(60, plant, new Demand.Closed(users, 0)))
                    .toList()));
    for (int seconds : new int[] {60, 120}) {
      loads.add(
          new Load(
              "changes-" + seconds,
              "100 users whose work becomes another every " + seconds + " s",
              plant ->
                  IntStream.range(0, SECONDS / seconds)
                      .mapToObj(i -> i % 2 == 0 ? plant : Plants.opposite(plant))
                      .map(now -> new Stage(seconds, now, MANY))
                      .toList()));
    }
    loads.add(
        new Load(
            "night",
            "100 users for a minute, nobody for two, 100 users again",
            plant ->
                List.of(
                    new Stage(60, plant, MANY),
                    new Stage(120, plant, NOBODY),
                    new Stage(60, plant, MANY))));
    Map<String, Load> byName = new LinkedHashMap<>();
    loads.forEach(load -> byName.put(load.name(), load));
    return Collections.unmodifiableMap(byName);
  }

  private static Load steady(String name, String title, Demand demand) {
    return new Load(name, title, plant -> List.of(new Stage(SECONDS, plant, demand)));
  }

  private static Load open(String prefix, double share, String what, double burst) {
    return new Load(
        String.format(Locale.ROOT, "%s%.1f", prefix, share),
        String.format(Locale.ROOT, "%s at %.0f %% of the capacity", what, share * 100),
        plant ->
            List.of(
                new Stage(
                    SECONDS, plant, new Demand.Open(share * plant.curve().capacity(), burst))));
  }
}
