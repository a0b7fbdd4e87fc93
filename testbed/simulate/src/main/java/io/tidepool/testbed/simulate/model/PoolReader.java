package io.tidepool.testbed.simulate.model;

import io.tidepool.Bounds;
import io.tidepool.Controller;
import io.tidepool.Controllers;
import io.tidepool.spi.Blueprint;
import io.tidepool.testbed.simulator.model.Pool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads pools, and notes which of them a controller sizes. */
final class PoolReader {

  private static final Pattern BOUNDS = Pattern.compile("(\\d{1,9})\\.\\.(\\d{1,9})");
  private static final Bounds USUAL = new Bounds(1, 256);
  private static final double SECOND = 1;

  private final Map<String, Governor> governors = new LinkedHashMap<>();
  private final List<String> controllers = Controllers.all().stream().map(Blueprint::name).toList();

  /** What sizes the pools read so far, by the names given to {@link #pool}. */
  Map<String, Governor> governors() {
    return governors;
  }

  /** A pool: a number, or settings. */
  Pool pool(String name, Entry entry) throws BadModel {
    if (!entry.isMapping()) {
      return Pool.of(entry.whole(1, Entry.MOST));
    }
    Map<String, Entry> members = entry.named("settings");
    Entry word = members.get("controller");
    Entry.Group group = entry.group(known(word));
    int queue = group.whole("queue", 0, Entry.MOST, Pool.UNBOUNDED);
    if (word == null) {
      group.refuse("needs a controller beside it", "window", "bounds", "initial");
      return Pool.of(group.require("size").whole(1, Entry.MOST)).queue(queue);
    }
    Bounds bounds = bounds(group.get("bounds"));
    Entry initial = group.get("initial");
    int size = initial == null ? bounds.minimum() : initial.whole(1, Entry.MOST);
    if (initial != null && !bounds.contain(size)) {
      throw initial.mustBe("within " + bounds.minimum() + ".." + bounds.maximum());
    }
    governors.put(name, governor(word, group));
    return new Pool(size, bounds, queue);
  }

  private List<String> known(@Nullable Entry controller) throws BadModel {
    List<String> known = new ArrayList<>(List.of("controller", "queue", "window", "bounds"));
    known.add("initial");
    if (controller == null) {
      known.add("size");
    } else {
      Controllers.blueprint(controller.word("controller", controllers))
          .settings()
          .forEach(setting -> known.add(setting.name()));
    }
    return known;
  }

  private Governor governor(Entry word, Entry.Group group) throws BadModel {
    Blueprint<Controller> blueprint = Controllers.blueprint(word.text());
    Map<String, String> settings = new LinkedHashMap<>();
    for (io.tidepool.spi.Setting each : blueprint.settings()) {
      Entry given = group.get(each.name());
      if (given != null) {
        settings.put(each.name(), given.text());
        checkAlone(blueprint, each.name(), given);
      }
    }
    Entry window = group.get("window");
    Governor governor =
        new Governor(
            blueprint.name(), settings, window == null ? SECOND : window.positiveSeconds());
    try {
      governor.make();
    } catch (IllegalArgumentException e) {
      throw word.error(e);
    }
    return governor;
  }

  /** A value that is wrong by itself is told on its own line. */
  private static void checkAlone(Blueprint<Controller> blueprint, String setting, Entry given)
      throws BadModel {
    Map<String, String> others = new LinkedHashMap<>();
    for (io.tidepool.spi.Setting each : blueprint.settings()) {
      if (each.standard() == null && !each.name().equals(setting)) {
        return; // It cannot be made from this one alone.
      }
    }
    others.put(setting, given.text());
    try {
      blueprint.make(others);
    } catch (IllegalArgumentException e) {
      throw given.error(e);
    }
  }

  private static Bounds bounds(@Nullable Entry entry) throws BadModel {
    if (entry == null) {
      return USUAL;
    }
    Matcher found = BOUNDS.matcher(entry.text());
    if (!found.matches()) {
      throw entry.mustBe("MIN..MAX, such as 1..256");
    }
    try {
      return new Bounds(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)));
    } catch (IllegalArgumentException e) {
      throw entry.error(e);
    }
  }
}
