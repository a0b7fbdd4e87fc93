package io.poolkeeper.testbed.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TurnsTest {

  @Test
  void everyOtherRoundGoesBackwardsAndWarmUpsDoNotCount() throws Exception {
    List<String> order = new ArrayList<>();
    Map<String, List<Integer>> results =
        Turns.take(
            "test",
            List.of("a", "b"),
            1,
            2,
            side -> {
              order.add(side);
              return order.size();
            });
    assertThat(order).containsExactly("a", "b", "b", "a", "a", "b");
    assertThat(results).isEqualTo(Map.of("a", List.of(4, 5), "b", List.of(3, 6)));
  }

  @Test
  void ratiosAndDifferencesAreThoseOfOneRound() {
    List<Double> values = List.of(3.0, 8.0);
    List<Double> base = List.of(2.0, 4.0);
    assertThat(Turns.ratios(values, base)).containsExactly(1.5, 2.0);
    assertThat(Turns.differences(values, base)).containsExactly(1.0, 4.0);
  }
}
