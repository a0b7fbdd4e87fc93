package io.poolkeeper.testbed.benchmarks.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.benchmarks.controllers.SearchController.Reading;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SizeSearchTest {

  /** Length of a stage. */
  private static final int SECONDS = 300;

  @Test
  void triesTheGridFromItsStartOnAndThenTheGapsBesideTheBest() {
    SizeSearch search = new SizeSearch(4);
    List<Integer> tried = new ArrayList<>();
    while (!search.ended()) {
      tried.add(search.size());
      search.read(-Math.abs(search.size() - 20));
    }
    assertThat(tried).startsWith(16, 4, 64, 1, 256, 32, 8, 23);
    assertThat(search.size()).isBetween(19, 21);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16, 100, 256})
  void endsNearOnePeakAndStaysThere(int best) {
    SizeSearch search = new SizeSearch(2);
    IntToDoubleFunction curve = size -> Math.min(size / (double) best, best / (double) size);
    while (!search.ended()) {
      search.read(curve.applyAsDouble(search.size()));
    }
    int found = search.size();
    assertThat(curve.applyAsDouble(found)).isGreaterThan(0.9);
    search.read(1e9);
    assertThat(search.size()).isEqualTo(found);
  }

  @ParameterizedTest
  @EnumSource
  void aSearchIsToldOfAChangeAndRecognisesWorkThatComesBack(Reading reading) {
    Plant few = plant("few", 4);
    Plant many = plant("many", 64);
    Course course = new Course(List.of(stage(few), stage(many), stage(few), stage(many)));
    Trace trace =
        new SimulatedFlight()
            .fly(
                course,
                Noise.NONE,
                1,
                new Pilot.ByWindows(
                    new SearchController(course, 2, 400, reading), Duration.ofMillis(500), 1));
    assertThat(sizeAt(trace, SECONDS - 1)).isBetween(3, 5);
    assertThat(sizeAt(trace, 2 * SECONDS - 1)).isBetween(50, 80);
    assertThat(sizeAt(trace, 2 * SECONDS + 2)).isEqualTo(sizeAt(trace, SECONDS - 1));
    assertThat(sizeAt(trace, 3 * SECONDS + 2)).isEqualTo(sizeAt(trace, 2 * SECONDS - 1));
  }

  private static int sizeAt(Trace trace, double time) {
    return (int) Math.round(trace.sizes().integral(time, time + 0.1, size -> size) / 0.1);
  }

  private static Stage stage(Plant plant) {
    return new Stage(SECONDS, plant, new Demand.Closed(100, 0));
  }

  private static Plant plant(String name, int knee) {
    return new Plant(
        name,
        "a peak",
        "peak at " + knee,
        new Curve(k -> 100 * Math.min(k / (double) knee, knee / (double) k)),
        0.001,
        List.of(new TaskClass(1, 1)),
        "");
  }
}
