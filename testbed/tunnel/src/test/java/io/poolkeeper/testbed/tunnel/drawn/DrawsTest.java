package io.poolkeeper.testbed.tunnel.drawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.simulator.model.Noise.Replay;
import io.poolkeeper.testbed.simulator.model.Noise.Wander;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Properties that every draw has, and the mix of many. */
final class DrawsTest {

  private static List<Stage> stages(Draw draw) {
    return draw.cell().load().on(draw.cell().plant());
  }

  private static double[] rates(Plant plant) {
    return IntStream.rangeClosed(1, Curve.LARGEST).mapToDouble(plant.curve()::at).toArray();
  }

  @Property(tries = 300)
  void everyDrawCanBeFlown(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed) {
    Draw draw = Draws.of(seed);
    List<Stage> stages = stages(draw);
    assertThat(stages.stream().mapToInt(Stage::seconds).sum()).isEqualTo(Draws.SECONDS);
    assertThat(stages.get(0).plant().name()).isEqualTo(draw.cell().plant().name());
    for (Stage stage : stages) {
      Plant plant = stage.plant();
      assertThat(Arrays.stream(rates(plant))).allMatch(rate -> rate > 0.01 && rate < 4000);
      // The capacity that is drawn is that with few users; of kind load, 400 have a tenth of it.
      boolean falls = plant.title().equals(Shape.LOAD.title());
      assertThat(plant.curve().capacity()).isBetween(falls ? 1.0 : 19.999, 2000.001);
      assertThat(plant.cpuSeconds()).isPositive();
      assertThat(plant.tasks().stream().mapToDouble(TaskClass::share).sum())
          .isCloseTo(1, within(1e-9));
      assertThat(plant.tasks().stream().mapToDouble(task -> task.share() * task.work()).sum())
          .isCloseTo(1, within(1e-9));
      if (stage.demand() instanceof Demand.Closed closed) {
        assertThat(closed.users()).isBetween(50, 400);
      } else {
        double share = ((Demand.Open) stage.demand()).perSecond() / plant.curve().capacity();
        assertThat(share).isBetween(0.3, 1.5);
      }
    }
  }

  @Property(tries = 100)
  void aSeedGivesTheSameDrawAgain(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed) {
    Draw once = Draws.of(seed);
    Draw again = Draws.of(seed - 3, 7).get(3);
    assertThat(again.cell().toString()).isEqualTo(once.cell().toString());
    assertThat(again.cell().noise()).isEqualTo(once.cell().noise());
    assertThat(again.category()).isEqualTo(once.category());
    List<Stage> stages = stages(again);
    assertThat(stages).hasSameSizeAs(stages(once));
    for (int i = 0; i < stages.size(); i++) {
      assertThat(stages.get(i).demand()).isEqualTo(stages(once).get(i).demand());
      assertThat(rates(stages.get(i).plant())).isEqualTo(rates(stages(once).get(i).plant()));
    }
  }

  @Test
  void aSeedMeansTheSameFromVersionToVersion() {
    Draw draw = Draws.of(1042);
    assertThat(draw.cell()).hasToString("comb-1042, closed-280, wander-9%");
    assertThat(draw.cell().plant().curve().best()).isEqualTo(189);
    assertThat(draw.cell().plant().curve().capacity()).isCloseTo(29.9, within(0.05));
  }

  @Test
  void kindsAndCircumstancesAreEvenlySpreadOverAnyRangeOfSeeds() {
    for (long first : new long[] {0, 1, 1000, 12_345}) {
      List<Draw> draws = Draws.of(first, 10 * Shape.values().length);
      Map<Shape, List<Draw>> byShape = draws.stream().collect(Collectors.groupingBy(Draw::shape));
      assertThat(byShape).hasSize(Shape.values().length);
      byShape.values().forEach(each -> assertThat(each).hasSize(10));
      byShape.forEach(
          (shape, each) ->
              assertThat(each.stream().filter(draw -> draw.category() == Category.STEADY))
                  .as(shape.word())
                  .hasSize(6));
      assertThat(draws.stream().map(Draw::category)).contains(Category.values());
    }
  }

  @Test
  void twoHundredDrawsHoldAsManyOfEachKindButOne() {
    Map<Shape, Integer> counts = new EnumMap<>(Shape.class);
    Draws.of(Draws.FIRST_REPORTED, 200)
        .forEach(draw -> counts.merge(draw.shape(), 1, Integer::sum));
    assertThat(counts.values()).allMatch(count -> count == 13 || count == 14);
  }

  @Test
  void theBestSizeIsAnywhere() {
    List<Integer> best =
        Draws.of(0, 999).stream().map(draw -> new Course(stages(draw)).optimum(0).best()).toList();
    assertThat(best).contains(1, Curve.LARGEST);
    for (int least = 1; least < Curve.LARGEST; least *= 2) {
      int from = least;
      assertThat(best.stream().filter(size -> size >= from && size < 2 * from))
          .as("from " + from)
          .hasSizeGreaterThan(20);
    }
  }

  @Test
  void mostUsersKeepTheBestSizeBusy() {
    long enough =
        Draws.of(0, 600).stream()
            .filter(draw -> draw.category() == Category.STEADY)
            .filter(
                draw ->
                    stages(draw).get(0).demand() instanceof Demand.Closed closed
                        && closed.users() > draw.cell().plant().curve().best())
            .count();
    assertThat(enough / 360.0).isBetween(0.8, 0.99);
  }

  @Test
  void noiseOfSteadyWorkIsAtMostAQuarterAndBurstsAreMore() {
    Map<Category, Double> most = new HashMap<>();
    for (Draw draw : Draws.of(0, 600)) {
      for (var part : draw.cell().noise().parts()) {
        double deviation =
            part instanceof Wander wander ? wander.deviation() : part instanceof Replay ? 0.5 : 0;
        most.merge(draw.category(), deviation, Math::max);
        assertThat(deviation >= 0.4)
            .as(draw.cell().toString())
            .isEqualTo(draw.category() == Category.BURSTS);
      }
    }
    assertThat(most.get(Category.STEADY)).isBetween(0.2, 0.25);
    assertThat(most.get(Category.BURSTS)).isBetween(0.7, 0.8);
  }

  @Test
  void recordedRatesHaveTheMeanOfOneAndComeInBursts() {
    assertThat(RateTraces.ALL).hasSize(3);
    RateTraces.ALL.forEach(
        (name, trace) -> {
          double variance = trace.stream().mapToDouble(rate -> (rate - 1) * (rate - 1)).sum();
          assertThat(trace.stream().mapToDouble(Double::doubleValue).average().orElseThrow())
              .isCloseTo(1, within(1e-9));
          assertThat(Math.sqrt(variance / trace.size())).as(name).isBetween(0.4, 0.8);
          List<Double> replayed = RateTraces.replay(trace, 0.25).speeds();
          assertThat(replayed).hasSize(2 * trace.size()).containsAll(trace);
          // The end of the trace follows itself backwards, and its start the other way round.
          assertThat(replayed.get(0)).isEqualTo(trace.get(replayed.size() / 4));
        });
  }

  /** Two ways to the same numbers on curves with several humps, and below and above them. */
  @Test
  void drawnPlantsCompleteWhatTheClosedFormSays() {
    Map<Shape, Draw> draws =
        Draws.of(0, 600).stream()
            .filter(draw -> draw.category() == Category.STEADY)
            .filter(draw -> draw.cell().plant().curve().capacity() < 200)
            .filter(draw -> draw.cell().plant().tasks().size() == 1)
            .collect(Collectors.toMap(Draw::shape, Function.identity(), (a, b) -> a));
    assertThat(draws).hasSize(Shape.values().length);
    draws.values().forEach(DrawsTest::completesWhatTheClosedFormSays);
  }

  private static void completesWhatTheClosedFormSays(Draw draw) {
    Course course = new Course(stages(draw));
    int best = course.optimum(0).best();
    for (int size : new int[] {1, Math.max(1, best / 2), best, Math.min(256, 2 * best), 256}) {
      double expected = course.optimum(0).throughput(size) * course.seconds();
      assertThat(expected).isLessThanOrEqualTo(course.optimum(0).most() * course.seconds() * 1.001);
      Trace trace =
          new SimulatedFlight().fly(course, Noise.NONE, draw.seed(), Contestants.fixedPilot(size));
      assertThat(trace.work(0, course.seconds()))
          .as("%s at %d", draw.cell(), size)
          .isCloseTo(expected, within(0.001 * expected));
      assertThat((double) trace.completions())
          .as("%s at %d", draw.cell(), size)
          .isCloseTo(expected, within(4 * Math.sqrt(expected) + size));
    }
  }

  @Test
  void theBestOfTwoHumpsIsOneThatTheUsersReach() {
    Curve curve = new Curve(k -> k <= 6 ? 10.0 * k : k < 60 ? 10 : Math.min(100, k));
    Plant plant = new Plant("humps", "", "", curve, 0.001, List.of(new TaskClass(1, 1)), "");
    Function<Integer, Course> with =
        users -> new Course(List.of(new Stage(60, plant, new Demand.Closed(users, 0))));
    assertThat(with.apply(300).optimum(0).best()).isEqualTo(100);
    assertThat(with.apply(300).optimum(0).enough()).isEqualTo(97);
    assertThat(with.apply(80).optimum(0).best()).isEqualTo(80);
    assertThat(with.apply(50).optimum(0).best()).isEqualTo(6);
  }
}
