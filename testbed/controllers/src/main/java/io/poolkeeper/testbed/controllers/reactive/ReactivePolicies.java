package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.spi.Settings;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Handoff;
import io.poolkeeper.testbed.controllers.PolicyProvider;
import io.poolkeeper.testbed.controllers.Require;
import io.poolkeeper.testbed.controllers.reactive.Heuristic.Change;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Those of this package that decide at events. */
public final class ReactivePolicies implements PolicyProvider {

  private static final Duration NEVER = Duration.ZERO;

  @Override
  public Collection<ControllerDescriptor<EventPolicy>> policies() {
    return List.of(
        fbos(),
        heuristic("heuristic", Heuristic.Settings.PUBLISHED),
        heuristic("heuristic-rising", Heuristic.Settings.RISING),
        watermark(),
        coreAndMaximum(),
        basicAndExtended(),
        ling(),
        staticPool("static-queue", "Schmidt 1998", "2.11", Handoff.THROUGH_QUEUE),
        staticPool("static-handoff", "Chang and others 1998", "2.12", Handoff.DIRECT));
  }

  private static ControllerDescriptor<EventPolicy> fbos() {
    Fbos.Settings published = Fbos.Settings.PUBLISHED;
    return new ControllerDescriptor<>(
        "fbos",
        "Bahadur and others 2014, section 3",
        "waits of the last tasks; arrivals in the last second; idle time of workers",
        "a phase of tasks with waits: grow to the arrivals of a second; idle: leave",
        "tasks do not take about a second; more workers make the work slower",
        published.second(),
        List.of(
            Setting.of("least", "workers at the start and at least, 1 or more", published.least()),
            Setting.of("phase", "tasks that end between two checks, 1 or more", published.phase()),
            millis("second", "time in which arrivals are counted", published.second()),
            millis(
                "idle-timeout", "idle time after which a worker leaves", published.idleTimeout())),
        settings ->
            new Fbos(
                new Fbos.Settings(
                    settings.integer("least"),
                    settings.integer("phase"),
                    millis(settings, "second"),
                    millis(settings, "idle-timeout"))));
  }

  private static ControllerDescriptor<EventPolicy> heuristic(
      String name, Heuristic.Settings standard) {
    boolean asDescribed = standard.change() == Change.EITHER;
    return new ControllerDescriptor<>(
        name,
        "Xu and Bode 2004, after Bahadur and others 2014, section 2.8"
            + (asDescribed ? "" : ", with the change that explains its figures"),
        "mean wait of the last tasks",
        asDescribed
            ? "the mean changed by more than the threshold, up or down: grow by the stride"
            : "the mean rose by more than the threshold: grow by the stride",
        asDescribed
            ? "always: it grows with the number of tasks"
            : "waits that are long and steady; noise",
        NEVER,
        List.of(
            Setting.of("initial", "workers at the start, 1 or more", standard.initial()),
            Setting.of(
                "batch", "tasks that end between two comparisons, 1 or more", standard.batch()),
            Setting.of("threshold", "fraction of the mean before, above 0", standard.threshold()),
            Setting.of("stride", "workers added at once, 1 or more", standard.stride())),
        settings ->
            new Heuristic(
                new Heuristic.Settings(
                    settings.integer("initial"),
                    settings.integer("batch"),
                    settings.decimal("threshold"),
                    settings.integer("stride"),
                    standard.change())));
  }

  private static ControllerDescriptor<EventPolicy> watermark() {
    return new ControllerDescriptor<>(
        "watermark",
        "Schmidt and Kuhns 2000, after Bahadur and others 2014, section 2.9",
        "waiting tasks against workers",
        "a task arrives at a queue that is longer than the pool: one more",
        "bursts; more workers make the work slower; never shrinks",
        NEVER,
        List.of(
            Setting.of("low", "workers at the start, 1 or more", 2),
            Setting.of("high", "most workers, at least low", 64)),
        settings -> new Watermark(settings.integer("low"), settings.integer("high")));
  }

  private static ControllerDescriptor<EventPolicy> coreAndMaximum() {
    CoreAndMaximum.Settings standard = CoreAndMaximum.Settings.CACHED;
    return new ControllerDescriptor<>(
        "jdk-watermark",
        "java.util.concurrent.ThreadPoolExecutor; maximum of Timm 2021, chapter 5",
        "waiting tasks against room in the queue; idle time of workers",
        "a task finds the queue full: one more; idle above the core: leave",
        "more workers make the work slower; with room in the queue, work waits for no need",
        standard.keepAlive().dividedBy(4),
        List.of(
            Setting.of("core", "workers at the start and at least, 1 or more", standard.core()),
            Setting.of("maximum", "most workers, at least core", standard.maximum()),
            Setting.of(
                "capacity", "tasks that may wait before it grows, 0 or more", standard.capacity()),
            millis("keep-alive", "idle time after which a worker leaves", standard.keepAlive())),
        settings ->
            new CoreAndMaximum(
                new CoreAndMaximum.Settings(
                    settings.integer("core"),
                    settings.integer("maximum"),
                    settings.integer("capacity"),
                    millis(settings, "keep-alive"))));
  }

  private static ControllerDescriptor<EventPolicy> basicAndExtended() {
    return new ControllerDescriptor<>(
        "hdtp-qs",
        "Ning and Lin 2010, after Bahadur and others 2014, section 2.3",
        "busy workers of a basic and an extended pool",
        "a task finds the basic pool busy: one more; finds both busy: two more",
        "bursts; more workers make the work slower; never shrinks",
        NEVER,
        List.of(
            Setting.of("basic", "workers of the basic pool at the start, 1 or more", 1),
            Setting.of("extended", "workers of the extended pool at the start, 1 or more", 1)),
        settings -> new BasicAndExtended(settings.integer("basic"), settings.integer("extended")));
  }

  private static ControllerDescriptor<EventPolicy> ling() {
    LingOptimum.Settings standard = LingOptimum.Settings.STANDARD;
    return new ControllerDescriptor<>(
        "ling-optimum",
        "Ling, Mullen and Lin 2000, after Bahadur and others 2014, section 2.10",
        "distribution of the number of tasks there at once",
        "every interval: the size of least expected cost",
        "more workers make the work slower; users who wait for answers",
        standard.interval(),
        List.of(
            Setting.of("creation", "cost of creating a worker, above 0", standard.creation()),
            Setting.of(
                "holding",
                "cost of keeping a worker, above 0 and at most creation",
                standard.holding()),
            millis("interval", "time from one look to the next", standard.interval()),
            Setting.of(
                "memory",
                "what an interval counts of the one after it, above 0 and at most 1",
                standard.memory())),
        settings ->
            new LingOptimum(
                new LingOptimum.Settings(
                    settings.decimal("creation"),
                    settings.decimal("holding"),
                    millis(settings, "interval"),
                    settings.decimal("memory"))));
  }

  private static ControllerDescriptor<EventPolicy> staticPool(
      String name, String source, String section, Handoff handoff) {
    return new ControllerDescriptor<>(
        name,
        "%s, after Bahadur and others 2014, section %s".formatted(source, section),
        "none",
        "none; tasks reach workers "
            + (handoff == Handoff.DIRECT ? "from hand to hand" : "through the queue"),
        "the load or the work changes",
        NEVER,
        List.of(Setting.required("size", "workers, 1 or more")),
        settings -> new StaticPool(name, settings.integer("size"), handoff));
  }

  private static Setting millis(String name, String meaning, Duration standard) {
    return Setting.of(name, meaning + ", milliseconds, 1 or more", standard.toMillis());
  }

  private static Duration millis(Settings settings, String name) {
    return Require.millis(name, settings.integer(name));
  }
}
