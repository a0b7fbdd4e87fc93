package io.tidepool.testbed.controllers.peers;

import io.tidepool.Controller;
import io.tidepool.spi.Blueprint;
import io.tidepool.spi.ControllerProvider;
import io.tidepool.spi.Setting;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Rules of other systems that decide once an interval. */
public final class PeerControllers implements ControllerProvider {

  private static final Setting CORES =
      Setting.ofProcessors("cores", "processors of the pool's machine, 1 or more");
  private static final Setting SEED = Setting.of("seed", "of the random draws, a whole number", 1);

  @Override
  public Collection<Blueprint<Controller>> controllers() {
    return List.of(dotnet(), liberty(), envoy(), blockingCoefficient());
  }

  private static Blueprint<Controller> dotnet() {
    return new Blueprint<>(
        "dotnet-style",
        "thread pool of .NET; Hellerstein, Morrison and Eilebrecht 2008",
        "throughput at the frequency of a wave in the size; CPU; tasks that wait while none begins",
        "every sample: against or along the wave; every 500 ms of starvation: one more",
        "a far optimum; few or long tasks; noise with the period of the wave",
        Duration.ofMillis(50),
        List.of(CORES, SEED),
        settings -> new DotnetController(settings.integer("cores"), settings.integer("seed")));
  }

  private static Blueprint<Controller> liberty() {
    return new Blueprint<>(
        "liberty-style",
        "default executor of Open Liberty",
        "throughput at each size; tasks that wait while none ends",
        "every 1.5 s: another size is likely to beat this one, a coin, or 5 quiet intervals",
        "a flat curve; a workload that changes; an optimum between two steps",
        Duration.ofMillis(750),
        List.of(
            Setting.ofProcessors("step", "workers added or taken away at once, 1 or more"),
            CORES,
            SEED),
        settings ->
            new LibertyController(
                settings.integer("step"), settings.integer("cores"), settings.integer("seed")));
  }

  private static Blueprint<Controller> envoy() {
    return new Blueprint<>(
        "envoy-style",
        "adaptive concurrency filter of Envoy",
        "median service time against the one at a limit of 3",
        "every window: times their ratio, and a square root more",
        "a limit that is not used; a long overload; every minute, while it measures at 3",
        Duration.ofMillis(100),
        List.of(Setting.of("maximum", "largest limit, 3 or more", 1000)),
        settings -> new EnvoyController(settings.integer("maximum")));
  }

  private static Blueprint<Controller> blockingCoefficient() {
    return new Blueprint<>(
        "blocking-coefficient",
        "Goetz 2006, section 8.2",
        "CPU time and service time of a task",
        "every window: cores * utilisation * (1 + wait / compute)",
        "a full machine; waits for locks or for a database that is full; tasks longer than a window",
        Duration.ofSeconds(1),
        List.of(CORES, Setting.of("utilisation", "of the cores, above 0 and at most 1", 1.0)),
        settings ->
            new BlockingCoefficientController(
                settings.integer("cores"), settings.decimal("utilisation")));
  }
}
