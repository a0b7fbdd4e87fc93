package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.DiskStats;
import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.SizeGrid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The candidates after a window. */
final class CandidateSizesTest {

  private static final Demand PLENTY = new Demand(5000, 0, 0, 1);
  private static final Bounds UNBOUNDED = new Bounds(1, Integer.MAX_VALUE);

  /** 700/s at 31, after so many seconds of the same work. */
  private static Knowledge knowledge(double seconds) {
    return Knowledge.NONE.aged(seconds).with(place(31), 10, Math.log(700), place(31));
  }

  private static int place(int size) {
    return SizeGrid.nearest(size);
  }

  private static int largest(Knowledge knowledge, int rejected) {
    return largest(knowledge, rejected, CollapseGuard.INITIAL);
  }

  private static int largest(Knowledge knowledge, int rejected, CollapseGuard guard) {
    CandidateSizes candidates = candidates(knowledge, rejected, guard);
    return SizeGrid.size(candidates.largest(observation(window(rejected))));
  }

  private static int smallest(int rejected) {
    CandidateSizes candidates = candidates(knowledge(60), rejected, CollapseGuard.INITIAL);
    return SizeGrid.size(candidates.smallest(observation(window(rejected))));
  }

  private static CandidateSizes candidates(Knowledge knowledge, int rejected, CollapseGuard guard) {
    Window window = window(rejected);
    ProcessorLoad load = new ProcessorLoad(2, window, observation(window), 0);
    return new CandidateSizes(knowledge, PLENTY, guard, GrowthTrial.NONE, load, UNBOUNDED, false);
  }

  private static Observation observation(Window window) {
    return Observation.of(window, Objective.throughput()).orElseThrow();
  }

  private static Window window(int rejected) {
    TimeStats times = TimeStats.EMPTY;
    long length = 500_000_000;
    int arrived = 350 + rejected;
    return new Window(
        0,
        length,
        31,
        31,
        9,
        9,
        arrived,
        350,
        0,
        rejected,
        350,
        times,
        times,
        times,
        -1,
        -1,
        -1,
        DiskStats.NOT_MEASURED,
        Window.NOT_MEASURED);
  }

  /** After a collapse growth is careful, but a size that was fine since is no growth. */
  @Test
  void returnsToWhatWasFineSinceACollapse() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(400, 100, 0.7, false);
    assertThat(largest(knowledge(60), 0, guard)).isLessThanOrEqualTo(46);
    assertThat(largest(knowledge(60), 0, guard.afterWindow(84, 0, 0.5))).isEqualTo(84);
  }

  @Test
  void reachesFarBeyondWhatWasTried() {
    assertThat(largest(knowledge(10), 0)).isBetween(120, 128);
  }

  /** After a limit has let in too many tasks, all wait. */
  @Test
  void aLimitThatRejectsTakesShorterSteps() {
    assertThat(largest(knowledge(10), 300)).isBetween(60, 64);
  }

  @ParameterizedTest(name = "after {0} s")
  @ValueSource(doubles = {1, 60, 3600})
  void aLimitThatRejectsNeverGoesFarBeyondASizeThatIsWorse(double seconds) {
    Knowledge worse = knowledge(seconds).with(place(128), 3, Math.log(400), place(128));
    assertThat(largest(worse, 300)).isEqualTo(128);
    assertThat(largest(worse, 0)).as("a pool with a queue may").isGreaterThan(500);
  }

  /** Evidence at 4 from before the program was compiled must not keep the limit at 1. */
  @Test
  void aLimitThatRejectsLooksAgainNearTheBestSize() {
    Knowledge cold = Knowledge.NONE.with(0, 10, Math.log(700), 0).with(2, 1, Math.log(300), 2);
    assertThat(largest(cold, 300)).isGreaterThanOrEqualTo(4);
  }

  /** A quarter of the size would refuse most of the work for the sake of a look. */
  @Test
  void aLimitThatRejectsTakesShorterStepsDown() {
    assertThat(smallest(0)).isEqualTo(8);
    assertThat(smallest(300)).isEqualTo(16);
  }

  @Test
  void aSizeThatIsAboutAsGoodIsNoBorder() {
    Knowledge asGood = knowledge(60).with(place(64), 3, Math.log(650), place(64));
    assertThat(largest(asGood, 300)).isGreaterThan(100);
  }

  private static int largestAfterFew(int completions, double waiting) {
    Window window =
        Window.builder(0, 500_000_000, 2)
            .busy(2)
            .queue(waiting, (int) waiting)
            .arrivals(completions)
            .completions(completions)
            .build();
    Knowledge few = Knowledge.NONE.with(place(2), 0.1, Math.log(4), place(2));
    ProcessorLoad load = new ProcessorLoad(2, window, observation(window), 0);
    CandidateSizes candidates =
        new CandidateSizes(
            few, PLENTY, CollapseGuard.INITIAL, GrowthTrial.NONE, load, UNBOUNDED, false);
    return SizeGrid.size(candidates.largest(observation(window)));
  }

  @Test
  void fewTasksShowWhatATaskTakesIfEachWorkerHasEndedOne() {
    assertThat(largestAfterFew(4, 198)).isEqualTo(8);
    assertThat(largestAfterFew(2, 198)).isEqualTo(8);
    assertThat(largestAfterFew(1, 198)).as("one worker has ended none").isEqualTo(3);
    assertThat(largestAfterFew(2, 1)).as("next to nothing waits").isEqualTo(3);
  }

  @Test
  void barredSizesAreNoCandidates() {
    Window window =
        Window.builder(0, 500_000_000, 31)
            .busy(31)
            .queue(60, 60)
            .arrivals(350)
            .completions(350)
            .build();
    GrowthTrial barring = GrowthTrial.NONE.begun(observation(window), 6).barring(124);
    assertThat(largest(window, GrowthTrial.NONE)).isGreaterThan(62);
    assertThat(largest(window, barring)).isLessThan(62).isGreaterThan(31);
  }

  /** A size beyond the bounds would be asked for again and again, and never be tried. */
  @Test
  void sizesBeyondTheBoundsAreNoCandidates() {
    Window window = window(0);
    Observation observed = observation(window);
    ProcessorLoad load = new ProcessorLoad(2, window, observed, 0);
    CandidateSizes candidates =
        new CandidateSizes(
            knowledge(10),
            PLENTY,
            CollapseGuard.INITIAL,
            GrowthTrial.NONE,
            load,
            new Bounds(16, 50),
            false);
    assertThat(SizeGrid.size(candidates.largest(observed))).isEqualTo(50);
    assertThat(SizeGrid.size(candidates.smallest(observed))).isEqualTo(16);
    int[] places = candidates.upTo(candidates.largest(observed), place(31));
    assertThat(SizeGrid.size(places[0])).isEqualTo(16);
    assertThat(SizeGrid.size(places[places.length - 1])).isEqualTo(50);
    assertThat(SizeGrid.size(candidates.promising(observed))).isGreaterThan(100);
  }

  private static int largest(Window window, GrowthTrial growth) {
    Observation observed = observation(window);
    ProcessorLoad load = new ProcessorLoad(2, window, observed, 0);
    CandidateSizes candidates =
        new CandidateSizes(
            knowledge(60), PLENTY, CollapseGuard.INITIAL, growth, load, UNBOUNDED, false);
    return SizeGrid.size(candidates.largest(observed));
  }
}
