package io.poolkeeper.testbed.controllers.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Controllers;
import io.poolkeeper.testbed.controllers.disk.ScaleSettings.AskedBy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScaleSettingsTest {

  /** Timm 2021, sections 5.3, 6.1.1, 6.1.2 and 6.1.3. */
  @ParameterizedTest
  @CsvSource({
    "plain, pool, 800, 0.97, 0",
    "plain, node, 1500, 0.9, 0",
    "plain, rocksdb, 1000, 0.9, 0",
    "drop, pool, 1500, 0.95, 0",
    "drop, node, 800, 0.97, 0",
    "drop, rocksdb, 1000, 0.9, 0",
    "average, pool, 1500, 0.95, 3000",
    "average, node, 1000, 0.95, 5000",
    "average, rocksdb, 1000, 0.9, 5000",
    "calls, pool, 800, 0.97, 0",
  })
  void thePublishedSets(
      String variant, String workload, long interval, double stability, long averaging) {
    ScaleSettings settings =
        switch (variant) {
          case "plain" -> ScaleSettings.plain(workload);
          case "drop" -> ScaleSettings.dropException(workload);
          case "average" -> ScaleSettings.movingAverage(workload);
          default -> ScaleSettings.callTime(workload);
        };
    assertThat(settings)
        .isEqualTo(
            new ScaleSettings(
                Duration.ofMillis(interval),
                stability,
                Duration.ofMillis(averaging),
                variant.equals("drop"),
                variant.equals("calls"),
                AskedBy.MANAGER));
  }

  @Test
  void badSettingsAreNamed() {
    assertThatThrownBy(() -> ScaleSettings.plain("nodes"))
        .hasMessageStartingWith("unknown workload 'nodes'; did you mean 'node'?");
    assertThatThrownBy(() -> Controllers.named("scale-adapter", Map.of("workload", "pol")))
        .hasMessageStartingWith("unknown workload 'pol'; did you mean 'pool'?");
    assertThatThrownBy(() -> settings(100, 0.9, 0))
        .hasMessage("interval must be >= 200 ms, but is 100 ms");
    assertThatThrownBy(() -> settings(800, 1.1, 0))
        .hasMessage("stability must be a factor above 0 and at most 1, such as 0.9, but is 1.1");
    assertThatThrownBy(() -> settings(800, 0.9, 400))
        .hasMessage("averaging must be 0 or >= interval, but 400 ms < 800 ms");
  }

  private static ScaleSettings settings(long interval, double stability, long averaging) {
    return new ScaleSettings(
        Duration.ofMillis(interval),
        stability,
        Duration.ofMillis(averaging),
        false,
        false,
        AskedBy.MANAGER);
  }
}
