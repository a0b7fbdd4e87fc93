package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Controllers;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Courses, shapes of work and sizes of a run. */
final class CourseTest {

  @Test
  void scoreIsWhatTheSizesAreWorthWithoutNoise() {
    Course course = new Course(Controllers.fixed(5), 1, 0.3).run(1, 200, Shape.PLATEAU);
    assertThat(course.sizes()).containsExactly(1, 5);
    assertThat(course.meanSize()).isEqualTo(3);
    assertThat(course.score()).isCloseTo((1 + 5) / 24.0, within(1e-12));
    assertThat(course.fromNow().run(0.5, 200, Shape.PLATEAU).score())
        .isCloseTo(5 / 12.0, within(1e-12));
  }

  @Test
  void rateHasTheNoiseThatWasAskedFor() {
    Course course = new Course(Controllers.responseCurve(), 1, 0.02);
    course.run(300, 200, Shape.limited(1_000, 10));
    assertThat(course.lastDecision().numbers().get("noise")).isBetween(0.01, 0.03);
  }

  @Test
  void noiseIsAFraction() {
    assertThatThrownBy(() -> new Course(Controllers.fixed(1), 1, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("noise must be >= 0 and < 1, but is 8.0");
  }

  @ParameterizedTest
  @CsvSource({
    "CPU, 2, 2",
    "DATABASE, 35, 26",
    "PLATEAU, 12, 12",
    "COLLAPSE, 16, 13",
    "WIDE, 100, 76",
    "FAR, 128, 125",
  })
  void bestAndEnough(Shape shape, int best, int enough) {
    assertThat(Shape.best(shape, 200)).isEqualTo(best);
    assertThat(Shape.enough(shape, 200)).isEqualTo(enough);
    assertThat(Shape.best(shape, 2)).isEqualTo(2);
  }

  /** Two workers, or a factor of 1.5. */
  @ParameterizedTest
  @CsvSource({"2, 4, false", "2, 5, true", "10, 15, false", "10, 16, true"})
  void sizesFlipBeyondAGridStep(int smallest, int largest, boolean flip) {
    assertThat(Sizes.of(List.of(largest, smallest)).flip()).isEqualTo(flip);
  }

  @Test
  void restIsAChangeAMinute() {
    List<Integer> turns =
        Collections.nCopies(30, List.of(10, 11)).stream().flatMap(List::stream).toList();
    Sizes sizes = Sizes.of(turns);
    assertThat(sizes.changes()).isEqualTo(59);
    sizes.see(10);
    assertThat(sizes.steadiness()).isEqualTo("rests");
    sizes.see(11);
    assertThat(sizes.steadiness()).isEqualTo("swings within a grid step");
    sizes.see(20);
    assertThat(sizes.steadiness()).as("one visit").isEqualTo("swings within a grid step");
    assertThat(sizes.largest()).isEqualTo(11);
    sizes.see(20);
    assertThat(sizes.steadiness()).as("3 % of them").isEqualTo("flips");
    assertThat(sizes).hasToString("sizes from 10 to 20, 62 changes, 20 at the end");
  }
}
