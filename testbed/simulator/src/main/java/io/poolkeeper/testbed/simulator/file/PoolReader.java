package io.poolkeeper.testbed.simulator.file;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.simulator.model.Pool;
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
  private static final double NANOS_PER_SECOND = 1e9;

  /** Seconds; the control loop takes none shorter. */
  private static final double SHORTEST_WINDOW = 0.001;

  /** A setting that the model knows better than the machine on which it is simulated. */
  private static final String PROCESSORS = "processors";

  /** Artifacts that others published, which the simulator does not carry, and their rules. */
  private static final Map<String, String> RULES =
      Map.of(
          "netflix-vegas", "vegas-style",
          "netflix-gradient2", "gradient2-style",
          "netflix-windowed-gradient2", "gradient2-style",
          "netflix-aimd", "aimd-style");

  private final Map<String, Governor> governors = new LinkedHashMap<>();

  /** Returns what sizes the pools read so far, by the names given to {@link #pool}. */
  Map<String, Governor> governors() {
    return governors;
  }

  /**
   * A pool: a number, or settings.
   *
   * @param cores of its tier, 1 or more
   */
  Pool pool(String name, Entry entry, int cores) throws BadInput {
    if (!entry.isMapping()) {
      return Pool.of(entry.whole(1, Entry.MOST));
    }
    Map<String, Entry> members = entry.named("settings");
    Entry word = members.get("controller");
    Entry.Group group = entry.group(settingsOf(word));
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
    governors.put(name, governor(word, group, cores));
    return new Pool(size, bounds, queue);
  }

  private static List<String> settingsOf(@Nullable Entry controller) throws BadInput {
    List<String> names = new ArrayList<>(List.of("controller", "queue", "window", "bounds"));
    names.add("initial");
    if (controller == null) {
      names.add("size");
    } else {
      descriptor(controller).settings().forEach(setting -> names.add(setting.name()));
    }
    return names;
  }

  /** Returns the descriptor of the controller or policy that {@code word} names. */
  private static ControllerDescriptor<?> descriptor(Entry word) throws BadInput {
    String rule = RULES.get(word.text());
    if (rule != null) {
      throw word.error(
          "cannot be %s, which runs only in ./poolkeeper tunnel; its rule is %s"
              .formatted(word.text(), rule));
    }
    String name = word.word("controller", Policies.contestants());
    return isPolicy(name) ? Policies.descriptor(name) : Controllers.descriptor(name);
  }

  private static boolean isPolicy(String name) {
    return Policies.all().stream().anyMatch(policy -> policy.name().equals(name));
  }

  private static Governor governor(Entry word, Entry.Group group, int cores) throws BadInput {
    ControllerDescriptor<?> descriptor = descriptor(word);
    Map<String, String> settings = new LinkedHashMap<>();
    for (Setting each : descriptor.settings()) {
      Entry given = group.get(each.name());
      if (given != null) {
        settings.put(each.name(), given.text());
        checkAlone(descriptor, each.name(), given);
      } else if (each.name().equals(PROCESSORS)) {
        settings.put(PROCESSORS, Integer.toString(cores));
      }
    }
    Entry window = group.get("window");
    double seconds =
        window == null
            ? descriptor.window().toNanos() / NANOS_PER_SECOND
            : window.positiveSeconds();
    if (window != null && seconds < SHORTEST_WINDOW) {
      throw window.mustBe("1ms or longer");
    }
    try {
      descriptor.make(settings);
    } catch (IllegalArgumentException e) {
      throw word.error(e);
    }
    return new Governor(descriptor.name(), isPolicy(descriptor.name()), settings, seconds);
  }

  /** A value that is wrong by itself is told on its own line. */
  private static void checkAlone(ControllerDescriptor<?> descriptor, String setting, Entry given)
      throws BadInput {
    for (Setting each : descriptor.settings()) {
      if (each.standard() == null && !each.name().equals(setting)) {
        return; // It cannot be made from this one alone.
      }
    }
    try {
      descriptor.make(Map.of(setting, given.text()));
    } catch (IllegalArgumentException e) {
      throw given.error(e);
    }
  }

  private static Bounds bounds(@Nullable Entry entry) throws BadInput {
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
