package io.poolkeeper.testkit;

import static io.poolkeeper.testkit.Shape.COLLAPSE;
import static io.poolkeeper.testkit.Shape.CPU;
import static io.poolkeeper.testkit.Shape.DATABASE;
import static io.poolkeeper.testkit.Shape.FAR;
import static io.poolkeeper.testkit.Shape.PLATEAU;
import static io.poolkeeper.testkit.Shape.WIDE;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.controllers.ResponseCurveController;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Quality of the response-curve controller on work with noise. Beside each bar stands what it
 * scores, and what a broken one scores: the step controller, which compares two windows and forgets
 * the rest. All are means over five seeds, or twenty where one run in ten decides.
 */
final class ResponseCurveGateTest {

  private static final int USERS = 200;

  private static final List<Shape> PLANTS = List.of(CPU, DATABASE, PLATEAU, COLLAPSE, WIDE);

  private static final Supplier<Controller> HEALTHY = ResponseCurveGateTest::healthy;
  private static final Supplier<Controller> BROKEN = Controllers::throughput;

  private static Controller healthy() {
    return new ResponseCurveController(Objective.throughput(), 0.03, 2);
  }

  private static double mean(Supplier<Controller> made, ToDoubleFunction<Course> score) {
    return LongStream.range(0, 5)
        .mapToDouble(seed -> score.applyAsDouble(new Course(made.get(), seed)))
        .average()
        .orElseThrow();
  }

  /** The score on the plant where it is lowest. */
  private static double worst(
      Supplier<Controller> made, BiFunction<Course, IntToDoubleFunction, Double> score) {
    return PLANTS.stream()
        .mapToDouble(plant -> mean(made, course -> score.apply(course, plant)))
        .min()
        .orElseThrow();
  }

  private static Course settled(Course course, IntToDoubleFunction plant) {
    return course.run(120, USERS, plant).fromNow().run(120, USERS, plant);
  }

  /** Means over twenty seeds, as multiples of the smallest size within 3 %. */
  private record Threads(double median, double mean) {

    static Threads of(Supplier<Controller> made, IntToDoubleFunction plant) {
      List<Course> courses =
          LongStream.range(0, 20)
              .mapToObj(seed -> settled(new Course(made.get(), seed), plant))
              .toList();
      double enough = Shape.enough(plant, USERS);
      return new Threads(
          mean(courses, ResponseCurveGateTest::median) / enough,
          mean(courses, Course::meanSize) / enough);
    }

    private static double mean(List<Course> courses, ToDoubleFunction<Course> figure) {
      return courses.stream().mapToDouble(figure).average().orElseThrow();
    }
  }

  private static double median(Course course) {
    List<Integer> sizes = course.sizes().stream().sorted().toList();
    return sizes.get(sizes.size() / 2);
  }

  /** From one worker, all the way to the knee included. Healthy 0.953, broken 0.789. */
  @Test
  void theFirstMinuteIsGood() {
    BiFunction<Course, IntToDoubleFunction, Double> score =
        (course, plant) -> course.run(60, USERS, plant).score();
    assertThat(worst(HEALTHY, score)).isGreaterThan(0.94);
    assertThat(worst(BROKEN, score)).isLessThan(0.94);
  }

  /** The third and fourth minute. Healthy 0.991, broken 0.803. */
  @Test
  void staysWhereItIsGood() {
    BiFunction<Course, IntToDoubleFunction, Double> score =
        (course, plant) -> settled(course, plant).score();
    assertThat(worst(HEALTHY, score)).isGreaterThan(0.985);
    assertThat(worst(BROKEN, score)).isLessThan(0.985);
  }

  /**
   * The size that is held: where it uses most, healthy 1.34 times what is needed. With experiments,
   * which never end because a curve may be rough where it was not looked at, the mean is up to 1.8
   * times that, on two processors that nobody measures. Broken, 6.26 times.
   */
  @Test
  void isThrifty() {
    for (IntToDoubleFunction plant : PLANTS) {
      Threads healthy = Threads.of(HEALTHY, plant);
      assertThat(healthy.median()).isLessThan(1.35);
      assertThat(healthy.mean()).isLessThan(2.3);
    }
    Threads broken = Threads.of(BROKEN, CPU);
    assertThat(broken.median()).isGreaterThan(1.35);
    assertThat(broken.mean()).isGreaterThan(2.3);
  }

  /**
   * Until nineteen twentieths of the best are reached, of the slowest of five seeds; healthy 0.5 s
   * on two processors and up to 5.5 s elsewhere. Broken, it is not there after a minute.
   */
  @Test
  void isThereWithinTenSeconds() {
    for (IntToDoubleFunction plant : List.of(CPU, DATABASE, PLATEAU, COLLAPSE, WIDE, FAR)) {
      for (int seed = 0; seed < 5; seed++) {
        assertThat(arrival(HEALTHY, plant, seed)).isLessThanOrEqualTo(10);
      }
    }
    assertThat(arrival(BROKEN, FAR, 0)).isGreaterThan(10);
  }

  private static double arrival(Supplier<Controller> made, IntToDoubleFunction plant, long seed) {
    Course course = new Course(made.get(), seed);
    double good = 0.95 * best(plant);
    double seconds = 0;
    while (plant.applyAsDouble(course.size()) < good && seconds < 60) {
      course.run(0.5, USERS, plant);
      seconds += 0.5;
    }
    return seconds;
  }

  private static double best(IntToDoubleFunction plant) {
    return plant.applyAsDouble(Shape.best(plant, USERS));
  }

  /**
   * Work whose best sizes are 91 and 15, a minute each, twice, against the best fixed size in
   * hindsight. Healthy 1.31 times that, broken 0.99.
   */
  @Test
  void followsWorkThatChanges() {
    ToDoubleFunction<Course> score =
        course ->
            course
                .run(60, USERS, WIDE)
                .run(60, USERS, COLLAPSE)
                .run(60, USERS, WIDE)
                .run(60, USERS, COLLAPSE)
                .score();
    double fixed = 0;
    for (int n = 1; n <= USERS; n++) {
      double reached = WIDE.applyAsDouble(n) + COLLAPSE.applyAsDouble(n);
      double possible = best(WIDE) + best(COLLAPSE);
      fixed = Math.max(fixed, reached / possible);
    }
    assertThat(mean(HEALTHY, score) / fixed).isGreaterThan(1.2);
    assertThat(mean(BROKEN, score) / fixed).isLessThan(1.2);
  }

  /**
   * A program that is compiled while it runs is 2.5 times as fast after half a minute, whatever the
   * size; that is no merit of the sizes tried late. Healthy 0.936, broken 0.902; where the level is
   * taken for constant 0.884.
   */
  @Test
  void aWarmUpIsNotTakenForTheMeritOfASize() {
    BiFunction<Course, IntToDoubleFunction, Double> score =
        (course, plant) -> {
          for (double at = 0; at < 60; at += 0.5) {
            double rate = Math.pow(0.4, Math.max(0, 1 - at / 30));
            course.run(0.5, USERS, plant, rate);
          }
          return course.score();
        };
    assertThat(worst(HEALTHY, score)).isGreaterThan(0.92);
    assertThat(worst(BROKEN, score)).isLessThan(0.92);
  }
}
