package io.poolkeeper.testbed.replay;

import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.Defaults;
import io.poolkeeper.testbed.controllers.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Every controller and policy of every module, in words. */
final class Listing {

  private static final String INTRODUCTION =
      """
      # Controllers
      Everything that can decide the size of a pool here: the library's own, and what others published, built from its description or run as
      its published artifact. A controller decides once a window; a policy decides at the events of tasks: arrival, end, and the passing of
      time. Both are chosen by name, in experiments, in the simulator and on a running server.

      Besides, `open-liberty` on a real server is the default executor of Open Liberty 26.0.0.3 itself, which has queue, threads and
      controller in one and is only published as a whole server (352 MB): it runs untouched in the place of the pool, where it was fetched with
      `mvn dependency:get -Dartifact=io.openliberty:openliberty-runtime:26.0.0.3:zip -Dtransitive=false`. `liberty-style` is its rule, built from its description.

      *Source*: who published it. *Signal*: what it looks at. *Trigger*: what makes it change the size. *Settings*: name, default and
      meaning; one without a default has to be given.

      This page is made by a command, from what the classes say of themselves, and a test compares the two: `./poolkeeper controllers --markdown > docs/controllers.md`

      | name | source | signal | trigger | decides | settings | fails when |
      | --- | --- | --- | --- | --- | --- | --- |
      """;

  private Listing() {}

  /** One of them, and whether it decides at events. */
  private record Entry(ControllerDescriptor<?> descriptor, boolean policy) {
    String name() {
      return descriptor.name();
    }

    String decides() {
      Duration window = descriptor.window();
      if (!policy) {
        return "every window, of about " + text(window);
      }
      return window.isZero() ? "at events" : "at events, and every " + text(window);
    }
  }

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    Controllers.all().forEach(descriptor -> entries.add(new Entry(descriptor, false)));
    Policies.all().forEach(descriptor -> entries.add(new Entry(descriptor, true)));
    entries.sort(Comparator.comparing(Entry::name));
    return entries;
  }

  /** A line for each. */
  static List<String> lines() {
    List<Entry> entries = entries();
    int width = entries.stream().mapToInt(entry -> entry.name().length()).max().orElse(0);
    return entries.stream()
        .map(entry -> "  " + pad(entry.name(), width) + "  " + entry.descriptor().trigger())
        .toList();
  }

  /**
   * All about one.
   *
   * @throws IllegalArgumentException with the nearest name if there is none of that name
   */
  static List<String> details(String name) {
    List<Entry> entries = entries();
    Names.require("controller", name, entries.stream().map(Entry::name).toList());
    Entry entry =
        entries.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    ControllerDescriptor<?> descriptor = entry.descriptor();
    List<String> lines = new ArrayList<>();
    lines.add(name + (entry.policy() ? ", a policy" : ", a controller"));
    lines.add("  source      " + descriptor.source());
    lines.add("  signal      " + descriptor.signal());
    lines.add("  trigger     " + descriptor.trigger());
    lines.add("  decides     " + entry.decides());
    lines.add("  fails when  " + descriptor.weakness());
    int names =
        descriptor.settings().stream().mapToInt(setting -> setting.name().length()).max().orElse(0);
    int values =
        descriptor.settings().stream().mapToInt(setting -> value(setting).length()).max().orElse(0);
    lines.add(descriptor.settings().isEmpty() ? "  no settings" : "  settings");
    for (Setting setting : descriptor.settings()) {
      lines.add(
          "    %s  %s  %s"
              .formatted(
                  pad(setting.name(), names), pad(value(setting), values), setting.meaning()));
    }
    return lines;
  }

  /** The page docs/controllers.md. */
  static String markdown() {
    return INTRODUCTION
        + entries().stream().map(Listing::row).collect(Collectors.joining("\n", "", "\n"));
  }

  private static String row(Entry entry) {
    ControllerDescriptor<?> descriptor = entry.descriptor();
    String settings =
        descriptor.settings().stream()
            .map(
                setting ->
                    "`%s` %s: %s".formatted(setting.name(), value(setting), setting.meaning()))
            .collect(Collectors.joining("<br>"));
    return List.of(
            "`" + entry.name() + "`",
            descriptor.source(),
            descriptor.signal(),
            descriptor.trigger(),
            entry.decides(),
            settings.isEmpty() ? "none" : settings,
            descriptor.weakness())
        .stream()
        .map(cell -> cell.replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  private static String value(Setting setting) {
    String documented = Defaults.documented(setting);
    return documented == null ? "(must be given)" : documented;
  }

  private static String text(Duration duration) {
    return String.format(Locale.ROOT, "%s s", duration.toMillis() / 1e3).replace(".0 s", " s");
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(width - text.length());
  }
}
