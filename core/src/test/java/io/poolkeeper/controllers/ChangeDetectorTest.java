package io.poolkeeper.controllers;

import static io.poolkeeper.controllers.ChangeDetector.Verdict.SUSPECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.controllers.ChangeDetector.Epoch;
import io.poolkeeper.controllers.ChangeDetector.Residual;
import io.poolkeeper.controllers.ChangeDetector.Verdict;
import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChangeDetectorTest {

  private static final int LARGEST = SizeGrid.nearest(256);

  /** It shows a mean of two kinds of work, which no size makes. */
  @Test
  void theWindowInWhichTheWorkChangedIsNoEvidence() {
    ChangeDetector detector =
        ChangeDetector.INITIAL
            .plus(fallen(10, 296))
            .plus(fallen(22, 44))
            .plus(fallen(22, 64))
            .plus(fallen(22, 50));
    Knowledge knowledge = detector.restart(knowing(22, 750, TaskCost.UNKNOWN), 60).knowledge();
    assertThat(knowledge.at(SizeGrid.nearest(10))).isNull();
    assertThat(knowledge.weightAt(SizeGrid.nearest(22))).isEqualTo(3);
  }

  @Test
  void whatNothingHasConfirmedGivesWayToThreeWindowsThatDoFarMore() {
    ChangeDetector cold = ChangeDetector.INITIAL;
    assertThat(cold.plus(risen()).plus(risen()).verdict()).isEqualTo(Verdict.SUSPECT);
    assertThat(cold.plus(risen()).plus(risen()).plus(risen()).verdict()).isEqualTo(Verdict.CHANGED);
    ChangeDetector confirmed = cold.plus(expected());
    assertThat(confirmed.plus(risen()).plus(risen()).plus(risen()).verdict())
        .isEqualTo(Verdict.SUSPECT);
  }

  @Test
  void anotherCostAtANewSizeIsItsOwnOnceAFamiliarSizeShowsTheCostOfBefore() {
    ChangeDetector dearer = ChangeDetector.INITIAL.plus(dearer(false));
    assertThat(dearer.explainedBy(expected())).hasSize(1);
    assertThat(dearer.plus(expected()).explainedBy(expected())).as("only once").isEmpty();
    assertThat(dearer.explainedBy(dearer(true))).as("the work has changed").isEmpty();
    assertThat(ChangeDetector.INITIAL.plus(dearer(true)).explainedBy(expected())).isEmpty();
  }

  private static Residual dearer(boolean familiar) {
    return new Residual(
        SizeGrid.nearest(4), Math.log(370), 1, 0.5, 185, 0, 0, familiar, TaskCost.UNKNOWN, true);
  }

  @Test
  void earlierWorkThatWasFarBetterIsTriedAgain() {
    assertThat(better(knowing(22, 750, cost(25)), cost(30))).isEqualTo(SizeGrid.nearest(22));
    assertThat(better(knowing(22, 750, TaskCost.UNKNOWN), cost(800)))
        .isEqualTo(SizeGrid.nearest(22));
  }

  @Test
  void earlierWorkOfAnotherCostIsNotTriedAgain() {
    assertThat(better(knowing(22, 750, cost(25)), cost(800))).isEqualTo(-1);
  }

  @Test
  void workersThatDisturbEachOtherMayMakeTasksDearer() {
    assertThat(better(knowing(4, 750, cost(25)), cost(150))).isEqualTo(SizeGrid.nearest(4));
  }

  @Test
  void theLatestReturnComesLast() {
    List<Epoch> past =
        List.of(
            new Epoch(knowing(22, 750, TaskCost.UNKNOWN), 60),
            new Epoch(knowing(8, 700, TaskCost.UNKNOWN), 30));
    int latest = SizeGrid.nearest(22);
    assertThat(better(past, TaskCost.UNKNOWN, latest)).isEqualTo(SizeGrid.nearest(8));
    assertThat(better(past.subList(0, 1), TaskCost.UNKNOWN, latest)).isEqualTo(latest);
  }

  /** The first window after the change is mixed; the second is enough if it is as earlier work. */
  @Test
  void earlierWorkIsRecognisedByTheSecondWindow() {
    Knowledge earlier = knowing(22, 60, TaskCost.UNKNOWN);
    ChangeDetector detector =
        new ChangeDetector(List.of(), List.of(new Epoch(earlier, 30)), 0, 0).plus(fallen(22, 300));
    assertThat(detector.recognises(1)).as("neither work").isFalse();
    ChangeDetector next = detector.plus(fallen(22, 61));
    assertThat(next.recognises(2)).isTrue();
    assertThat(next.restart(knowing(22, 750, TaskCost.UNKNOWN), 60).since()).isEqualTo(30);
    assertThat(detector.plus(fallen(22, 20)).recognises(2)).as("unknown work").isFalse();
    assertThat(next.recognises(3)).as("fewer windows than asked for").isFalse();
    assertThat(next.plus(expected()).recognises(1)).as("a stall that passed").isFalse();
  }

  /** In a stall hardly any task would end. */
  @Test
  void aDeepFallInWhichEachWorkerGoesOnEndingTasksIsAChange() {
    ChangeDetector fallen = ChangeDetector.INITIAL.plus(fallen(4, 10));
    assertThat(fallen.verdict()).isEqualTo(Verdict.SUSPECT);
    assertThat(fallen.plus(fallen(4, 10)).verdict()).isEqualTo(Verdict.CHANGED);
    assertThat(fallen.plus(fallen(4, 6)).verdict()).as("three of four ended").isEqualTo(SUSPECT);
    assertThat(fallen.plus(fallen(4, 21)).verdict()).as("it rises").isEqualTo(SUSPECT);
    assertThat(ChangeDetector.INITIAL.plus(fallen(4, 101)).plus(fallen(4, 101)).verdict())
        .as("a disk that is slow for a while")
        .isEqualTo(SUSPECT);
  }

  @Test
  void fallsThatPassedMakeItProbableThatTheNextPasses() {
    ChangeDetector twice = passed(passed(ChangeDetector.INITIAL.plus(expected())));
    assertThat(twice.chanceOfPassing()).as("by chance").isZero();
    ChangeDetector thrice = passed(twice);
    assertThat(thrice.chanceOfPassing()).isGreaterThan(0.9);
    ChangeDetector later = thrice;
    for (int window = 0; window < 400; window++) {
      later = later.plus(expected());
    }
    assertThat(later.chanceOfPassing()).as("long ago").isZero();
    ChangeDetector noise = ChangeDetector.INITIAL;
    for (int window = 0; window < 10; window++) {
      noise = noise.plus(fallen(10, 3)).plus(expected());
    }
    assertThat(noise.chanceOfPassing()).as("single windows").isZero();
  }

  @Test
  void workThatIsBackWithinSecondsHadFallenOnly() {
    Epoch before = new Epoch(knowing(22, 60, TaskCost.UNKNOWN), 30);
    ChangeDetector detector =
        new ChangeDetector(List.of(), List.of(before), 0, 2).plus(fallen(22, 61));
    Knowledge now = knowing(22, 750, TaskCost.UNKNOWN);
    assertThat(detector.restart(now, 36).detector().chanceOfPassing()).isGreaterThan(0.9);
    assertThat(detector.restart(now, 60).detector().chanceOfPassing()).isZero();
  }

  private static ChangeDetector passed(ChangeDetector detector) {
    return detector.plus(fallen(10, 3)).plus(fallen(10, 3)).plus(expected());
  }

  private static int better(Knowledge before, TaskCost now) {
    return better(List.of(new Epoch(before, 60)), now, -1);
  }

  private static int better(List<Epoch> past, TaskCost now, int latest) {
    CurvePosterior.Level level = new CurvePosterior.Level(Math.log(280), 0.001);
    return new ChangeDetector(List.of(), past, 0, 0)
        .better(SizeGrid.nearest(31), level, LARGEST, LARGEST, Tuning.RETURN_GAIN, now, latest);
  }

  private static Knowledge knowing(int size, double rate, TaskCost cost) {
    int place = SizeGrid.nearest(size);
    return Knowledge.NONE.with(place, 40, Math.log(rate), cost, place);
  }

  private static TaskCost cost(double micros) {
    return new TaskCost(micros * 1000, Double.NaN);
  }

  private static Residual risen() {
    return new Residual(
        SizeGrid.nearest(8), Math.log(768), 1, 0.5, 384, 2, 30, false, TaskCost.UNKNOWN, false);
  }

  private static Residual expected() {
    return new Residual(
        SizeGrid.nearest(10), Math.log(62), 1, 0.5, 31, 0, 0.1, true, TaskCost.UNKNOWN, false);
  }

  private static Residual fallen(int size, double rate) {
    return new Residual(
        SizeGrid.nearest(size),
        Math.log(rate),
        1,
        0.5,
        rate / 2,
        Math.log(rate / 1000),
        -10,
        true,
        TaskCost.UNKNOWN,
        false);
  }
}
