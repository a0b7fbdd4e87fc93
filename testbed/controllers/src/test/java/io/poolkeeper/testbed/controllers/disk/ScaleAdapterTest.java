package io.poolkeeper.testbed.controllers.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Direction;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Exploring;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Measured;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Phase;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Scaling;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Settled;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.Startup;
import io.poolkeeper.testbed.controllers.disk.ScaleAdapter.State;
import io.poolkeeper.testbed.controllers.disk.ScaleSettings.AskedBy;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every row of the state machine, every extension, and what belongs to an interval. */
final class ScaleAdapterTest {

  /** An interval of 800 ms is four windows; stability 0.9 makes the borders easy to read. */
  private static final ScaleSettings PLAIN = settings(0, false, false);

  private static ScaleSettings settings(long averaging, boolean passDrops, boolean watchCalls) {
    return new ScaleSettings(
        Duration.ofMillis(800),
        0.9,
        Duration.ofMillis(averaging),
        passDrops,
        watchCalls,
        AskedBy.MANAGER);
  }

  private static ScaleAdapter adapter(ScaleSettings settings) {
    return new ScaleAdapter("adapter", settings, Signal.THROUGHPUT, Signal.SERVICE_TIME);
  }

  private static WindowBuilder window(int size, double perSecond, double callMillis) {
    return WindowBuilder.ofSize(size)
        .lasting(Duration.ofMillis(200))
        .completions(Math.round(perSecond / 5))
        .response(callMillis);
  }

  /** Four windows of this rate; the first may be thrown away because the size changed. */
  private static Decision interval(ScaleAdapter adapter, int size, double rate) {
    Decision last = adapter.decide(window(size, rate, 10).build());
    for (int i = 1; i < 4; i++) {
      last = adapter.decide(window(size, rate, 10).build());
    }
    return last;
  }

  private static Phase phase(String text, long clock) {
    String[] parts = text.split(" ", -1);
    return switch (parts[0]) {
      case "Startup" -> new Startup();
      case "Scaling" -> new Scaling(Integer.parseInt(parts[1]));
      case "Exploring" -> new Exploring(Direction.valueOf(parts[1]));
      default ->
          new Settled(clock + Long.parseLong(parts[1]) * 1_000_000, Direction.valueOf(parts[2]));
    };
  }

  /** Knows that 1000 a second, with a deviation of 100 and calls of 10 ms, came before. */
  private static ScaleAdapter in(
      ScaleSettings settings, Phase phase, long clock, int size, int from) {
    return adapter(settings)
        .resume(
            new State(
                phase,
                clock,
                clock,
                List.of(),
                Optional.of(new Measured(1000, 100, 10e6)),
                size,
                from));
  }

  /**
   * Settled is written with its end, in ms after the advice, and the last direction. The interval
   * is of 800 ms; the size before the last step lies that step below or above 20.
   */
  @ParameterizedTest(name = "{0} at {2}/s, swinging by {3}: {4}, {5}")
  @CsvSource({
    // Scaling: higher, lower, neither; the limit of 4; both directions.
    "Scaling 1,      19, 1120, 0,   2, Scaling 2",
    "Scaling 2,      18, 1120, 0,   3, Scaling 3",
    "Scaling 3,      17, 1120, 0,   4, Scaling 4",
    "Scaling 4,      16, 1120, 0,   4, Scaling 4",
    "Scaling -1,     21, 1120, 0,  -2, Scaling -2",
    "Scaling -4,     24, 1120, 0,  -4, Scaling -4",
    "Scaling 3,      17,  890, 0,  -3, Settled 0 UP",
    "Scaling -3,     23,  890, 0,   3, Settled 0 DOWN",
    "Scaling 3,      17, 1100, 0,   0, Settled 0 UP",
    "Scaling -3,     23,  910, 0,   0, Settled 0 DOWN",
    // The step that the pool took of 3 was 1.
    "Scaling 3,      19,  890, 0,  -1, Settled 0 UP",
    // Somebody else took it down: nothing to take back.
    "Scaling 3,      25,  890, 0,   0, Settled 0 UP",
    // Settled: not before its end; higher; lower; unsteady; against the last direction.
    "Settled 801 UP,  20, 1120, 0,   0, Settled 1 UP",
    "Settled 800 UP,  20, 1120, 0,   1, Exploring UP",
    "Settled 0 UP,    20, 1120, 0,   1, Exploring UP",
    "Settled 0 DOWN,  20, 1120, 0,   1, Exploring UP",
    "Settled 0 UP,    20,  890, 0,  -1, Exploring DOWN",
    "Settled 0 DOWN,  20,  890, 0,  -1, Exploring DOWN",
    "Settled 0 DOWN,  20, 1000, 130, -1, Exploring DOWN",
    "Settled 0 DOWN,  20, 1000, 120, 1, Exploring UP",
    "Settled 0 UP,    20, 1000, 0,  -1, Exploring DOWN",
    "Settled 0 UP,    20, 1120, 130, 1, Exploring UP",
    // Exploring: higher; up without a gain; down with any loss; down without.
    "Exploring UP,    19, 1120, 0,   1, Scaling 1",
    "Exploring DOWN,  21, 1120, 0,  -1, Scaling -1",
    "Exploring UP,    19, 1100, 0,  -1, Settled 2000 UP",
    "Exploring UP,    19,  500, 0,  -1, Settled 2000 UP",
    "Exploring DOWN,  21,  995, 0,   1, Settled 2000 DOWN",
    "Exploring DOWN,  21, 1000, 0,  -1, Exploring DOWN",
    "Exploring DOWN,  21, 1100, 0,  -1, Exploring DOWN",
  })
  void transitions(String before, int from, double rate, double swing, int advice, String after) {
    long clock = 50_000_000_000L;
    ScaleAdapter adapter = in(PLAIN, phase(before, clock), clock, 20, from);
    Decision decision = Decision.keep(WindowBuilder.idle(20), "none");
    for (int i = 0; i < 4; i++) {
      decision = adapter.decide(window(20, rate + (i % 2 == 0 ? swing : -swing), 10).build());
    }
    assertThat(decision.size()).as(decision.reason()).isEqualTo(20 + advice);
    assertThat(decision.numbers().get("advice")).isEqualTo(advice);
    long now = clock + Duration.ofMillis(800).toNanos();
    assertThat(adapter.state().phase()).isEqualTo(phase(after, now));
    assertThat(adapter.state().previous().orElseThrow().mean()).isCloseTo(rate, within(1e-9));
    assertThat(adapter.state().previous().orElseThrow().deviation()).isCloseTo(swing, within(1e-9));
  }

  @Test
  void startsWithOneMoreAndScales() {
    ScaleAdapter adapter = adapter(PLAIN);
    assertThat(interval(adapter, 1, 100).size()).as("Startup").isEqualTo(2);
    assertThat(adapter.state().phase()).isEqualTo(new Scaling(2));
    assertThat(interval(adapter, 2, 200).size()).as("Scaling 2").isEqualTo(5);
    assertThat(interval(adapter, 5, 400).size()).as("Scaling 3").isEqualTo(9);
    assertThat(interval(adapter, 9, 410).size()).as("no gain").isEqualTo(9);
    Decision exploring = interval(adapter, 9, 410);
    assertThat(exploring.size()).as("against the last direction").isEqualTo(8);
    assertThat(exploring.reason())
        .isEqualTo(
            "throughput 410.0 against 410.0: no significant change, against the last direction,"
                + " exploring down");
  }

  @Test
  void whatStartupAddedIsTakenBackAndNoMore() {
    ScaleAdapter adapter = adapter(PLAIN);
    interval(adapter, 8, 1000);
    assertThat(interval(adapter, 9, 500).size()).isEqualTo(8);
  }

  @Test
  void neverGoesBelowOne() {
    ScaleAdapter adapter = in(PLAIN, new Settled(0, Direction.UP), 0, 1, 1);
    assertThat(interval(adapter, 1, 1000).size()).isEqualTo(1);
    assertThat(adapter.state().phase()).isEqualTo(new Exploring(Direction.DOWN));
    assertThat(interval(adapter, 1, 900).size()).as("no step to take back").isEqualTo(1);
  }

  @Test
  void aWindowInWhichTheSizeChangedIsThrownAway() {
    ScaleAdapter adapter = in(PLAIN, new Scaling(2), 0, 18, 16);
    assertThat(adapter.decide(window(20, 9000, 10).build()).reason())
        .isEqualTo(
            "200 of 800 ms of the interval have passed; this window is thrown away, the size"
                + " changed");
    for (int i = 0; i < 3; i++) {
      adapter.decide(window(20, 1000, 10).build());
    }
    assertThat(adapter.state().previous().orElseThrow().mean()).isEqualTo(1000);
  }

  @Test
  void withoutAValidWindowThereIsNoAdviceAndTheIntervalStaysOpen() {
    ScaleAdapter adapter = in(PLAIN, new Scaling(2), 0, 18, 16);
    Decision decision = Decision.keep(WindowBuilder.idle(20), "none");
    for (int i = 0; i < 6; i++) {
      decision = adapter.decide(window(19 + i % 2, 1000, 10).build());
    }
    assertThat(decision.reason()).startsWith("no advice: no valid subinterval");
    assertThat(adapter.decide(window(20, 1200, 10).build()).size()).as("a valid one").isEqualTo(23);
  }

  @Test
  void whileWorkersAreLeavingThereIsNoAdvice() {
    ScaleAdapter adapter = in(PLAIN, new Scaling(2), 0, 20, 18);
    for (int i = 0; i < 5; i++) {
      Decision decision = adapter.decide(window(20, 1200, 10).busy(20.5).build());
      assertThat(decision.size()).isEqualTo(20);
    }
    assertThat(adapter.decide(window(20, 1200, 10).build()).size()).isEqualTo(23);
  }

  @Test
  void theMeanIsWeightedByTime() {
    ScaleAdapter adapter = in(PLAIN, new Scaling(2), 0, 20, 18);
    adapter.decide(window(20, 1000, 10).build());
    adapter.decide(
        WindowBuilder.ofSize(20).lasting(Duration.ofMillis(600)).completions(1200).build());
    Measured measured = adapter.state().previous().orElseThrow();
    assertThat(measured.mean()).as("(0.2 * 1000 + 0.6 * 2000) / 0.8").isEqualTo(1750);
    assertThat(measured.deviation())
        .as("sqrt((0.2 * 750^2 + 0.6 * 250^2) / 0.8)")
        .isCloseTo(433.01, within(0.01));
  }

  @Test
  void theDropExceptionKeepsStateAndSize() {
    for (Phase phase :
        List.of(new Scaling(3), new Settled(0, Direction.UP), new Exploring(Direction.DOWN))) {
      ScaleAdapter adapter = in(settings(0, true, false), phase, 0, 20, 19);
      Decision drop = interval(adapter, 20, 295);
      assertThat(drop.size()).isEqualTo(20);
      assertThat(drop.reason()).contains("passed over");
      assertThat(adapter.state().phase()).isEqualTo(phase);
      assertThat(adapter.state().from()).as("the step can still be taken back").isEqualTo(19);
      assertThat(adapter.state().previous().orElseThrow().mean()).isEqualTo(295);
    }
    ScaleAdapter adapter = in(settings(0, true, false), new Scaling(3), 0, 20, 17);
    assertThat(interval(adapter, 20, 300).size()).as("0.3 is no drop").isEqualTo(17);
    ScaleAdapter without = in(PLAIN, new Scaling(3), 0, 20, 17);
    assertThat(interval(without, 20, 295).size()).as("without the extension").isEqualTo(17);
  }

  @Test
  void theMovingAverageReachesOverSeveralIntervals() {
    ScaleAdapter adapter = in(settings(1600, false, false), new Scaling(3), 0, 20, 17);
    interval(adapter, 20, 1000);
    interval(adapter, 20, 2000);
    assertThat(adapter.state().previous().orElseThrow().mean()).isEqualTo(1500);
    interval(adapter, adapter.state().lastSize(), 2000);
    assertThat(adapter.state().previous().orElseThrow().mean())
        .as("the first 1000/s are older than 1.6 s")
        .isEqualTo(2000);
  }

  /** Calls of 12 ms are significantly longer than 10 ms, calls of 11 ms are not. */
  @ParameterizedTest(name = "{0} at {2}/s, calls of {3} ms: {4}, {5}")
  @CsvSource({
    "Scaling -2,     22, 1000, 12,  2, Settled 2000 DOWN",
    "Scaling -2,     22,  890, 12,  2, Settled 2000 DOWN",
    "Scaling -2,     22,  890, 11,  2, Settled 0 DOWN",
    "Scaling -2,     22, 1000, 11,  0, Settled 0 DOWN",
    "Scaling -2,     22, 1120, 12, -3, Scaling -3",
    "Scaling 2,      18, 1000, 12,  0, Settled 0 UP",
    "Exploring DOWN, 21, 1000, 12,  1, Settled 2000 DOWN",
    "Exploring DOWN, 21, 1000, 11, -1, Exploring DOWN",
    "Exploring DOWN, 21, 1120, 12, -1, Scaling -1",
  })
  void theThirdVariantGoesDownOnlyWhileCallsTakeNoLonger(
      String before, int from, double rate, double callMillis, int advice, String after) {
    ScaleAdapter adapter = in(settings(0, false, true), phase(before, 0), 0, 20, from);
    Decision decision = Decision.keep(WindowBuilder.idle(20), "none");
    for (int i = 0; i < 4; i++) {
      decision = adapter.decide(window(20, rate, callMillis).build());
    }
    assertThat(decision.size()).as(decision.reason()).isEqualTo(20 + advice);
    assertThat(adapter.state().phase()).isEqualTo(phase(after, Duration.ofMillis(800).toNanos()));
  }

  @Test
  void theMetricIsAParameter() {
    Signal bytes = new Signal("logical disk throughput", Window::busy);
    ScaleAdapter adapter = new ScaleAdapter("bytes", PLAIN, bytes, Signal.SERVICE_TIME);
    for (int i = 0; i < 4; i++) {
      adapter.decide(window(20, 1, 10).busy(3).build());
    }
    assertThat(adapter.state().previous().orElseThrow().mean()).isEqualTo(3);
    Decision second = Decision.keep(WindowBuilder.idle(20), "none");
    for (int i = 0; i < 4; i++) {
      second = adapter.decide(window(20, 1, 10).busy(6).build());
    }
    assertThat(second.reason())
        .isEqualTo(
            "logical disk throughput 6.000 against 3.000: significantly higher, scaling up on");
  }

  @Test
  void aWindowWithoutAMetricIsThrownAway() {
    Signal none = new Signal("nothing", window -> Double.NaN);
    ScaleAdapter adapter = new ScaleAdapter("none", PLAIN, none, none);
    assertThat(interval(adapter, 4, 100).reason())
        .isEqualTo(
            "no advice: no valid subinterval; this window is thrown away, it has no nothing");
  }

  @Test
  void aWindowWithoutTasksGivesNoAdvice() {
    ScaleAdapter adapter = in(PLAIN, new Settled(0, Direction.DOWN), 0, 20, 20);
    for (int i = 0; i < 3; i++) {
      adapter.decide(window(20, 1000, 10).build());
    }
    assertThat(adapter.decide(window(20, 0, 0).busy(0).build()).reason())
        .isEqualTo("no advice: no task ran");
  }

  @Test
  void workersThatAreBusyWithLongJobsDoNotAskAndTheirIntervalGoesOn() {
    ScaleSettings workers = PLAIN.askedBy(AskedBy.WORKERS);
    ScaleAdapter adapter = in(workers, new Settled(0, Direction.DOWN), 0, 20, 20);
    for (int i = 0; i < 5; i++) {
      assertThat(adapter.decide(window(20, 0, 0).busy(20).build()).size()).isEqualTo(20);
    }
    assertThat(adapter.decide(window(20, 0, 0).busy(20).build()).reason())
        .isEqualTo("no advice: no worker asked, since no job ended");
    Decision asked = adapter.decide(window(20, 14_000, 10).build());
    assertThat(asked.reason()).contains(" 2000 against 1000: significantly higher");
    assertThat(asked.size()).isEqualTo(21);
  }
}
