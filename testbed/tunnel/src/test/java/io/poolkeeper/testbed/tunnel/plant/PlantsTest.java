package io.poolkeeper.testbed.tunnel.plant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Load;
import io.poolkeeper.testbed.tunnel.course.Loads;
import java.util.Collection;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that what is said of the plants holds. */
final class PlantsTest {

  static Collection<Plant> plants() {
    return Plants.ALL.values();
  }

  @ParameterizedTest
  @MethodSource("plants")
  void sharesAndWorkSumToOne(Plant plant) {
    assertThat(plant.tasks().stream().mapToDouble(TaskClass::share).sum())
        .isCloseTo(1, within(1e-12));
    assertThat(plant.tasks().stream().mapToDouble(task -> task.share() * task.work()).sum())
        .isCloseTo(1, within(1e-12));
  }

  @ParameterizedTest
  @MethodSource("plants")
  void theOppositeHasABestSizeFourTimesApart(Plant plant) {
    Load changes = Objects.requireNonNull(Loads.ALL.get("changes-60"));
    assertThat(new Course(changes.on(plant)).spread()).isGreaterThanOrEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("plants")
  void theProcessorsCanDoIt(Plant plant) {
    assertThat(plant.cpuSeconds() * plant.curve().capacity())
        .isLessThanOrEqualTo(Plants.PROCESSORS * 1.001);
  }

  @ParameterizedTest
  @MethodSource("plants")
  void capacityFitsTheScaleOfTheTunnel(Plant plant) {
    assertThat(plant.curve().capacity()).isBetween(199.0, 401.0);
  }

  @ParameterizedTest
  @CsvSource({
    "cpu, 2, 2",
    "database, 31, 35",
    "lock, 9, 12",
    "collapse, 14, 16",
    "plateau, 12, 12",
    "wide, 90, 100",
    "mixed, 20, 30",
    "disk-files, 15, 16"
  })
  void bestSizeIsWhereTheTitleSaysIt(String name, int least, int most) {
    Plant plant = Objects.requireNonNull(Plants.ALL.get(name));
    assertThat(plant.curve().best()).isBetween(least, most);
  }
}
