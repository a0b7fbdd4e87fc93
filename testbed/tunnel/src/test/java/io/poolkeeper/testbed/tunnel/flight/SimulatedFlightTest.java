package io.poolkeeper.testbed.tunnel.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Decision;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Loads;
import io.poolkeeper.testbed.tunnel.course.Optimum;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The simulator does what the closed forms of {@link Optimum} say; two ways to the same numbers.
 */
final class SimulatedFlightTest {

  private static final Flight FLIGHT = new SimulatedFlight();

  private static Course course(String plant, String load) {
    return new Course(
        Objects.requireNonNull(Loads.ALL.get(load))
            .on(Objects.requireNonNull(Plants.ALL.get(plant))));
  }

  @ParameterizedTest
  @CsvSource({
    "database, closed-100, 8",
    "database, closed-100, 33",
    "database, closed-100, 120",
    "mixed, closed-100, 10",
    "mixed, closed-1000, 20",
    "collapse, closed-1000, 40",
    "wide, closed-10, 90",
    "lock, open-0.6, 20",
    "lock, open-1.3, 3",
    "cpu, bursty-0.6, 2",
    "disk-hdd, open-0.9, 32"
  })
  void sweptSizesCompleteWhatTheClosedFormSays(String plant, String load, int size) {
    Course course = course(plant, load);
    double expected = course.optimum(0).throughput(size) * course.seconds();
    int seeds = 4;
    double completions = 0;
    double work = 0;
    for (int seed = 1; seed <= seeds; seed++) {
      Trace trace = FLIGHT.fly(course, Noise.NONE, seed, Contestants.fixedPilot(size));
      completions += trace.completions();
      work += trace.work(0, course.seconds());
    }
    double mean = completions / seeds;
    double variance = plant.equals("mixed") ? 8 : 4;
    // Counts of exponential work have the variance of their mean, bursts and mixtures more.
    assertThat(mean).isCloseTo(expected, within(3 * Math.sqrt(variance * expected / seeds) + 110));
    assertThat(work / seeds).isCloseTo(expected, within(0.02 * expected));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "8%", "drops", "pauses", "warm-up"})
  void noiseDoesNotDependOnThePool(String word) {
    Noise noise = Objects.requireNonNull(Noise.ALL.get(word));
    Course course = course("plateau", "closed-100");
    Trace small = FLIGHT.fly(course, noise, 7, Contestants.fixedPilot(12));
    Trace large = FLIGHT.fly(course, noise, 7, Contestants.fixedPilot(80));
    for (int second = 0; second < course.seconds(); second++) {
      // The plateau is as fast at both sizes, so every second must be alike.
      assertThat(small.work(second, second + 1))
          .isCloseTo(large.work(second, second + 1), within(1e-3));
    }
    double lost = 1 - small.work(0, 240) / (300 * 240);
    switch (word) {
      case "none" -> assertThat(lost).isCloseTo(0, within(1e-6));
      case "8%" -> assertThat(lost).isBetween(-0.03, 0.03);
      case "drops" -> assertThat(lost).isBetween(0.003, 0.04);
      case "pauses" -> assertThat(lost).isBetween(0.02, 0.06);
      // Of the logarithmic rise from 0.4 the mean is 0.655, for 30 of 240 s.
      case "warm-up" -> assertThat(lost).isBetween(0.02, 0.07);
      default -> throw new AssertionError("no bounds for " + word);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "8%", "drops", "pauses", "warm-up"})
  void theReferenceDoesTheWorkOfTheBestSize(String word) {
    Noise noise = Objects.requireNonNull(Noise.ALL.get(word));
    for (String load : new String[] {"closed-100", "closed-10"}) {
      Course course = course("database", load);
      Trace reference = References.optimum(FLIGHT, course, noise, 3);
      Trace flown = FLIGHT.fly(course, noise, 3, Contestants.fixedPilot(course.optimum(0).best()));
      for (int second = 0; second < course.seconds(); second++) {
        assertThat(reference.work(second, second + 1))
            .isCloseTo(flown.work(second, second + 1), within(1e-3));
      }
    }
  }

  @Test
  void sizesAreRecordedWhenTheyChange() {
    Course course = course("cpu", "closed-10");
    int[] turn = {0};
    Trace trace =
        FLIGHT.fly(
            course,
            Noise.NONE,
            1,
            new Pilot.ByWindows(
                window -> Decision.resize(++turn[0] < 3 ? 5 : 6, "by plan"),
                Duration.ofSeconds(20),
                1));
    assertThat(trace.sizes().changes()).isEqualTo(2);
    assertThat(trace.sizes().sizeAt(19.9)).isEqualTo(1);
    assertThat(trace.sizes().sizeAt(20.1)).isEqualTo(5);
    assertThat(trace.sizes().sizeAt(59.9)).isEqualTo(5);
    assertThat(trace.sizes().sizeAt(60.1)).isEqualTo(6);
  }

  @Test
  void theOptimumFollowsTheStages() {
    Course course = course("cpu", "changes-60");
    Trace trace =
        FLIGHT.fly(
            course,
            Noise.NONE,
            1,
            new Pilot.ByWindows(
                new Scheduled(course), Duration.ofSeconds(1), course.optimum(0).best()));
    for (int stage = 0; stage < course.stages().size(); stage++) {
      assertThat(trace.sizes().sizeAt(course.start(stage) + 0.5))
          .isEqualTo(course.optimum(stage).best());
      assertThat(trace.work(course.start(stage) + 1, course.end(stage)))
          .isCloseTo(59 * course.optimum(stage).most(), within(60.0));
    }
  }

  @Test
  void nobodyIsThereAtNight() {
    Course course = course("database", "night");
    Trace trace = FLIGHT.fly(course, Noise.NONE, 1, Contestants.fixedPilot(33));
    assertThat(trace.work(61, 180)).isZero();
    assertThat(trace.work(0, 60)).isGreaterThan(60 * 290);
  }
}
