package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.DiskStats;
import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ObservationTest {

  /**
   * The third and the fourth were seen on a server with two processors, database and load beside
   * it: new workers got no processor at once, and a pool of 19 was cut to 5 as if it had idled.
   */
  @ParameterizedTest
  @CsvSource({
    "10, 10,   0, false, all are busy but nothing waits",
    "10,  9.9, 5, true,  all are busy and tasks wait",
    "19, 15.6, 36.5, true, a long queue and workers that come late",
    "10,  9.3, 85.6, true, the same",
    "54, 34.8, 8.3, false, some wait for the processor and not for a worker",
    "10,  2, 30, false, a burst and a pool that idled for most of the time",
  })
  void aSizeBindsIfMoreWorkersWouldHaveHadSomethingToDo(
      int size, double busy, double waiting, boolean binds, String why) {
    assertThat(observation(size, busy, waiting, 200).sizeLimited()).as(why).isEqualTo(binds);
  }

  @ParameterizedTest
  @CsvSource({
    "54, 34.8, 8.3, 40, true,  tasks wait beside idle workers",
    "90, 31.1, 14.4, 40, true, the same in a pool that is much too large",
    "26, 3.7, 72, 250, true,   more wait than the largest number of waiting ones allows all to work off",
    "10,  8, 1.6, 20, false, as many wait as chance explains",
    "10,  8, 0,   0, false,  nothing waits",
    "10,  2, 30, 300, false, a burst and a pool that idled for most of the time",
    "1, 0.15, 20, 250, false, the same with a single worker",
    "10, 10, 90, 90, false,  all workers run",
  })
  void aPoolStarvesIfTasksWaitBesideIdleWorkers(
      int size, double busy, double waiting, int mostWaiting, boolean starves, String why) {
    assertThat(observation(size, busy, waiting, mostWaiting).starved()).as(why).isEqualTo(starves);
  }

  @ParameterizedTest
  @CsvSource({
    "10, 2,   30,  300, true,  nearly all idle for most of the time",
    "16, 4.4, 127, 250, true,  more wait than all workers can have left waiting",
    "10, 6,   30,  100, false, a burst that took more than half of the window",
    "10, 10,  90,  90,  false, all workers run",
  })
  void aPoolIsAmpleIfMoreWorkersWouldHaveHadNothingToDo(
      int size, double busy, double waiting, int mostWaiting, boolean ample, String why) {
    assertThat(observation(size, busy, waiting, mostWaiting).oversized()).as(why).isEqualTo(ample);
  }

  /** A burst that all workers work off, each 100 tasks a second: half of the most is the mean. */
  @ParameterizedTest
  @CsvSource({"1, 10", "10, 20", "10, 120", "40, 400"})
  void noBurstStarvesAPoolThatIdles(int size, int tasks) {
    double busy = tasks / 100.0 / 0.5;
    double waiting = busy / size * tasks / 2;
    assertThat(observation(size, busy, waiting, tasks).starved()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "4, 2.5, 2.5, what is busy",
    "4, 0.25, 0.5, the root of less than one worker",
    "1, 0.000001, 0.1, no less than can be measured",
  })
  void aPoolThatDoesNotBindIsSeenAtItsBusyWorkers(
      int size, double busy, double concurrency, String why) {
    assertThat(observation(size, busy, 0, 0).concurrency())
        .as(why)
        .isCloseTo(concurrency, within(1e-9));
  }

  /** A limiter of 19 that refuses 142 of 418: nothing waits, and 17 permits are held on average. */
  @ParameterizedTest
  @CsvSource({
    "142, true,  a third is rejected",
    "3,   false, a chance few",
    "0,   false, none is",
  })
  void aLimitThatRejectsBinds(int rejected, boolean binds, String why) {
    Observation observation = observation(19, 17, 0, 0, rejected);
    assertThat(observation.sizeLimited()).as(why).isEqualTo(binds);
    assertThat(observation.inSystem()).as("those rejected are demand").isGreaterThanOrEqualTo(17);
    assertThat(observation.inSystem() > 20).isEqualTo(binds);
  }

  private static Observation observation(int size, double busy, double waiting, int mostWaiting) {
    return observation(size, busy, waiting, mostWaiting, 0);
  }

  private static Observation observation(
      int size, double busy, double waiting, int mostWaiting, int rejected) {
    TimeStats times = TimeStats.EMPTY;
    Window window =
        new Window(
            0,
            500_000_000,
            size,
            busy,
            waiting,
            mostWaiting,
            500 + rejected,
            500,
            0,
            rejected,
            500,
            times,
            times,
            times,
            -1,
            -1,
            -1,
            DiskStats.NOT_MEASURED,
            Window.NOT_MEASURED);
    return Observation.of(window, Objective.throughput()).orElseThrow();
  }
}
