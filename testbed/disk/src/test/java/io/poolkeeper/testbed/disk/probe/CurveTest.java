package io.poolkeeper.testbed.disk.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CurveTest {

  private static Curve curve(double single, double two, double four, double eight) {
    return Curve.of(
        Map.of(1, List.of(single), 2, List.of(two), 4, List.of(four), 8, List.of(eight)));
  }

  @Test
  void kneeIsTheSmallestNumberThatIsAlmostAsGoodAsTheBest() {
    Curve curve = curve(100, 190, 292, 300);
    assertThat(curve.best().threads()).isEqualTo(8);
    assertThat(curve.knee().threads()).isEqualTo(4);
    assertThat(curve(100, 90, 80, 70).knee().threads()).isEqualTo(1);
    assertThat(curve(0, 0, 0, 0).knee().threads()).isEqualTo(1);
  }

  @Test
  void suggestedSizeIsGoodForAll() {
    Curve reads = curve(50, 100, 100, 60);
    Curve writes = curve(20, 40, 80, 100);
    assertThat(Curve.suggested(List.of(reads))).isEqualTo(2);
    assertThat(Curve.suggested(List.of(reads, writes))).isEqualTo(4);
  }

  @Test
  void spreadIsThatOfTheRepetitions() {
    Curve.Point point = Curve.of(Map.of(1, List.of(9.0, 10.0, 11.0))).points().get(0);
    assertThat(point.mean()).isEqualTo(10);
    assertThat(point.deviation()).isEqualTo(1);
    assertThat(point.error()).isCloseTo(0.0577, within(1e-4));
    assertThat(new Curve.Point(1, List.of(9.0)).deviation()).as("of one").isNaN();
  }
}
