package io.poolkeeper.testbed.tunnel.plant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class RecordedCurvesTest {

  @Test
  void unimodalFitIsTheNearestByHand() {
    // The dip of 1 and the bump of 5 are pooled with their neighbours; one peak is left.
    assertThat(RecordedCurves.unimodal(new double[] {2, 1, 6, 4, 5, 3}))
        .containsExactly(1.5, 1.5, 6, 4.5, 4.5, 3);
    assertThat(RecordedCurves.unimodal(new double[] {1, 2, 3})).containsExactly(1, 2, 3);
    assertThat(RecordedCurves.unimodal(new double[] {3, 2, 1})).containsExactly(3, 2, 1);
  }

  @Property(tries = 200)
  void unimodalFitRisesAndFallsOnceAndNoSuchCurveIsNearer(
      @ForAll @Size(min = 1, max = 6) List<@DoubleRange(min = 0, max = 9) Double> recorded) {
    double[] values = recorded.stream().mapToDouble(value -> value).toArray();
    double[] fitted = RecordedCurves.unimodal(values);
    int turns = 0;
    for (int i = 2; i < fitted.length; i++) {
      turns += fitted[i - 1] < fitted[i - 2] && fitted[i] > fitted[i - 1] ? 1 : 0;
    }
    assertThat(turns).isZero();
    // A constant is unimodal, and so is any monotone sequence made of the sorted values.
    double mean = Arrays.stream(values).average().orElseThrow();
    double[] constant = new double[values.length];
    Arrays.fill(constant, mean);
    double[] sorted = Arrays.stream(values).sorted().toArray();
    assertThat(distance(values, fitted)).isLessThanOrEqualTo(distance(values, constant) + 1e-9);
    assertThat(distance(values, fitted)).isLessThanOrEqualTo(distance(values, sorted) + 1e-9);
  }

  private static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
  }

  @Test
  void smoothCurveHasOnePeakAndKeepsTheShape() {
    Curve files = RecordedCurves.smoothed("rw_4kb_100us");
    // Recorded: 200.6 s with one thread, 32.3 s with sixteen.
    assertThat(files.at(16) / files.at(1)).isBetween(5.5, 6.3);
    assertThat(files.at(64)).isEqualTo(files.at(16));
    int falls = 0;
    for (int k = 2; k <= Curve.LARGEST; k++) {
      falls += files.at(k) < files.at(k - 1) ? 1 : 0;
    }
    assertThat(falls).isZero();
  }

  @Test
  void unknownWorkloadIsNamed() {
    assertThatThrownBy(() -> RecordedCurves.smoothed("rw_4mb"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rw_4mb");
  }
}
