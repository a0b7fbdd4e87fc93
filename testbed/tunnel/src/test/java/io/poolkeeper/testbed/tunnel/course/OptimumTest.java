package io.poolkeeper.testbed.tunnel.course;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.Repairman;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** The closed forms, against published values and by hand. */
final class OptimumTest {

  private static Plant plant(Curve curve) {
    return new Plant("test", "", "", curve, 0.001, List.of(new TaskClass(1, 1)), "test");
  }

  private static Optimum optimum(Curve curve, Demand demand) {
    return Optimum.of(new Stage(60, plant(curve), demand), Curve.LARGEST);
  }

  @ParameterizedTest
  @CsvFileSource(
      files = "../../contract/queues/over-allocation.csv",
      useHeadersInDisplayName = true)
  void usersWhoThinkGetWhatTheExactModelOfOverAllocationSays(int size, double throughput) {
    // Four cores of 40 a second, half a per cent slower for each task more; 200 users, 0.5 s.
    Curve curve = new Curve(k -> Math.min(k, 4) * 40 / (1 + 0.005 * Math.max(0, k - 4)));
    assertThat(optimum(curve, new Demand.Closed(200, 0.5)).throughput(size))
        .isCloseTo(throughput, within(1e-6));
  }

  @ParameterizedTest
  @CsvFileSource(files = "../../contract/queues/repairman.csv", useHeadersInDisplayName = true)
  void repairmanIsThePublishedOne(int users, int cores, double think, double throughput) {
    assertThat(Repairman.throughput(users, think, j -> Math.min(j, cores) / 0.025))
        .isCloseTo(throughput, within(1e-6));
  }

  @Test
  void usersWhoNeverRestKeepAsManyTasksInServiceAsTheyAre() {
    Curve curve = new Curve(k -> k <= 20 ? 10 * k : 200 - (k - 20) / 2.0);
    Optimum ten = optimum(curve, new Demand.Closed(10, 0));
    assertThat(ten.best()).isEqualTo(10);
    assertThat(ten.enough()).isEqualTo(10);
    assertThat(ten.throughput(200)).isEqualTo(100);
    Optimum hundred = optimum(curve, new Demand.Closed(100, 0));
    assertThat(hundred.best()).isEqualTo(20);
    assertThat(hundred.enough()).isEqualTo(20);
    assertThat(hundred.throughput(200)).isEqualTo(curve.at(100));
  }

  @Test
  void enoughIsTheSmallestWithinThreePerCent() {
    Curve curve = new Curve(k -> 100 * (1 - Math.pow(0.5, k)));
    Optimum optimum = optimum(curve, new Demand.Closed(1000, 0));
    assertThat(curve.at(6)).isGreaterThan(97).isLessThan(99);
    assertThat(optimum.enough()).isEqualTo(6);
    assertThat(optimum.best()).isEqualTo(10);
  }

  @Test
  void arrivalsNeedAPoolThatIsFasterThanThey() {
    Curve curve = new Curve(k -> 10.0 * Math.min(k, 30));
    Optimum light = optimum(curve, new Demand.Open(100, 0));
    assertThat(light.throughput(5)).isEqualTo(50);
    assertThat(light.throughput(10)).isEqualTo(100);
    assertThat(light.enough()).isEqualTo(11);
    assertThat(light.best()).isEqualTo(30);
    Optimum heavy = optimum(curve, new Demand.Open(400, 0));
    assertThat(heavy.most()).isEqualTo(300);
    assertThat(heavy.enough()).isEqualTo(30);
  }

  @Test
  void nobodyNeedsOneThread() {
    Optimum nobody = optimum(new Curve(k -> k), new Demand.Closed(0, 0));
    assertThat(nobody.most()).isZero();
    assertThat(nobody.enough()).isEqualTo(1);
  }

  @Test
  void bestFixedSizeWeighsTheStages() {
    Plant small = plant(new Curve(k -> k <= 4 ? 25 * k : 100.0 * 4 / k));
    Plant large = plant(new Curve(k -> Math.min(k, 40)));
    Demand users = new Demand.Closed(100, 0);
    Course mostlySmall =
        new Course(List.of(new Stage(200, small, users), new Stage(40, large, users)));
    assertThat(mostlySmall.bestFixed()).isEqualTo(4);
    assertThat(mostlySmall.spread()).isBetween(9.0, 10.0);
    assertThat(mostlySmall.headroom())
        .isCloseTo((200 * 100 + 40 * 40) / (200 * 100 + 40 * 4.0), within(1e-9));
    Course mostlyLarge =
        new Course(List.of(new Stage(10, small, users), new Stage(230, large, users)));
    assertThat(mostlyLarge.bestFixed()).isEqualTo(40);
  }
}
