package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Controller;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import io.poolkeeper.spi.Setting;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Rules of other systems that decide once an interval. */
public final class PeerControllers implements ControllerProvider {

  private static final Setting CORES =
      Setting.ofProcessors("cores", "processors of the pool's machine, 1 or more");
  private static final Setting SEED = Setting.of("seed", "of the random draws, a whole number", 1);

  @Override
  public Collection<ControllerDescriptor<Controller>> controllers() {
    return List.of(
        dotnet(),
        liberty(),
        envoy(),
        blockingCoefficient(),
        incrementalSteps(),
        parabolaApproximation(),
        sqlAnywhereHybrid(),
        halfAndHalf());
  }

  private static ControllerDescriptor<Controller> dotnet() {
    return new ControllerDescriptor<>(
        "dotnet-style",
        "thread pool of .NET; Hellerstein, Morrison and Eilebrecht 2008",
        "throughput at the frequency of a wave in the size; CPU; tasks that wait while none begins",
        "every sample: against or along the wave; every 500 ms of starvation: one more",
        "a far optimum; few or long tasks; noise with the period of the wave",
        Duration.ofMillis(50),
        List.of(CORES, SEED),
        settings -> new DotnetController(settings.integer("cores"), settings.integer("seed")));
  }

  private static ControllerDescriptor<Controller> liberty() {
    return new ControllerDescriptor<>(
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

  private static ControllerDescriptor<Controller> envoy() {
    return new ControllerDescriptor<>(
        "envoy-style",
        "adaptive concurrency filter of Envoy",
        "median service time against the one at a limit of 3",
        "every window: times their ratio, and a square root more",
        "a limit that is not used; a long overload; every minute, while it measures at 3",
        Duration.ofMillis(100),
        List.of(Setting.of("maximum", "largest limit, 3 or more", 1000)),
        settings -> new EnvoyController(settings.integer("maximum")));
  }

  private static ControllerDescriptor<Controller> blockingCoefficient() {
    return new ControllerDescriptor<>(
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

  private static ControllerDescriptor<Controller> incrementalSteps() {
    return new ControllerDescriptor<>(
        "incremental-steps",
        "Heiss and Wagner 1991",
        "throughput of two windows and the sizes that they had",
        "every window: on by the gain in throughput, back by the loss",
        "noise; work that changes; it never rests",
        Duration.ofSeconds(1),
        List.of(
            Setting.of(
                "gain",
                "relative change of the size for one of the throughput, above 0 and at most 100",
                2.0)),
        settings -> new IncrementalStepsController(settings.decimal("gain")));
  }

  private static ControllerDescriptor<Controller> parabolaApproximation() {
    return new ControllerDescriptor<>(
        "parabola-approximation",
        "Heiss and Wagner 1991",
        "throughput of the last windows and the sizes that they had",
        "every window: to the vertex of a parabola through them, or a step where it has none",
        "a plateau; noise among sizes that are near each other; work that changes",
        Duration.ofSeconds(1),
        List.of(
            Setting.of(
                "memory",
                "weight of a window relative to the one after it, above 0 and at most 1",
                0.9)),
        settings -> new ParabolaApproximationController(settings.decimal("memory")));
  }

  private static ControllerDescriptor<Controller> sqlAnywhereHybrid() {
    return new ControllerDescriptor<>(
        "sql-anywhere-hybrid",
        "Abouzour, Salem and Bumbulis 2010; SQL Anywhere 12",
        "throughput of two windows; the latest throughput of every size",
        "6 windows: a step on after a gain, back after a loss; 3 windows: to the vertex of a parabola",
        "noise near the optimum; a plateau; work that changes",
        Duration.ofSeconds(1),
        List.of(),
        settings -> new HybridLoadController());
  }

  private static ControllerDescriptor<Controller> halfAndHalf() {
    return new ControllerDescriptor<>(
        "half-and-half",
        "Carey, Krishnamurthi and Livny 1990, with a stand-in for the share of blocked tasks",
        "mean service time against the smallest one of a window",
        "every window: a quarter more below twice that time, a quarter less above",
        "an optimum elsewhere than at twice the time of a task alone; work that became slower",
        Duration.ofSeconds(1),
        List.of(),
        settings -> new HalfAndHalfController());
  }
}
