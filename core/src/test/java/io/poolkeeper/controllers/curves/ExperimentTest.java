package io.poolkeeper.controllers.curves;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ExperimentTest {

  private static final int HERE = SizeGrid.nearest(64);

  /** Of a pool of 64 that is known at no other size. */
  private static Experiment best(double growth) {
    CurvePosterior posterior =
        new CurvePosterior(new int[] {HERE}, new double[] {Math.log(6000)}, new double[] {0.001});
    int[] places = Arrays.stream(SizeGrid.coarse()).filter(place -> place <= HERE).toArray();
    SizeChoice choice =
        new SizeChoice(posterior, 0.02, places, Double.POSITIVE_INFINITY, Tuning.DOUBLING_PRICE);
    return Experiment.best(
        choice, new Experiment.Conditions(HERE, 0, HERE, 0.006, 0, 0.5, 60, 0.1, growth));
  }

  @Test
  void theWayBackOfAPoolThatGrowsSlowlyCosts() {
    Experiment atOnce = best(Double.POSITIVE_INFINITY);
    assertThat(atOnce.isNone()).isFalse();
    assertThat(best(10).gain()).isLessThan(atOnce.gain());
    assertThat(best(0.01).isNone()).isTrue();
  }
}
