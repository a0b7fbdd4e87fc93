package io.tidepool.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidepool.Controllers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ControllersNamedTest {

  @Test
  void everyNameHasAControllerWithItsDefaults() {
    for (String name : Controllers.names().keySet()) {
      Map<String, String> needed = name.equals("fixed") ? Map.of("size", "4") : Map.of();
      assertThat(Controllers.named(name, needed).name()).isEqualTo(name);
    }
    assertThat(Controllers.names())
        .containsOnlyKeys("fixed", "throughput", "mean-latency", "p99-latency");
  }

  @Test
  void settingsCount() {
    assertThat(
            Controllers.named("throughput", Map.of("step", " 3 "))
                .decide(WindowBuilder.ofSize(4).completions(10).response(5).build())
                .size())
        .isEqualTo(7);
    assertThat(
            Controllers.named("fixed", Map.of("size", "12")).decide(WindowBuilder.idle(1)).size())
        .isEqualTo(12);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "troughput    | step      | 3    | unknown controller 'troughput'; did you mean 'throughput'?",
        "mean-latency | stp       | 3    | unknown setting of mean-latency 'stp'; did you mean 'step'?",
        "mean-latency | step      | ten  | step must be a whole number, but is 'ten'",
        "mean-latency | step      | 0    | step must be >= 1, but is 0",
        "mean-latency | threshold | 5    | threshold must be a fraction between 0 and 1, such as 0.05, but is 5.0",
        "mean-latency | threshold | NaN  | threshold must be a fraction between 0 and 1, such as 0.05, but is NaN",
        "mean-latency | threshold | 5%   | threshold must be a number, but is '5%'",
        "mean-latency | lock      | -1   | lock must be >= 0, but is -1",
        "fixed        | size      | 0    | size must be >= 1, but is 0",
        "fixed        | step      | 1    | unknown setting of fixed 'step'; did you mean 'size'?",
      })
  void badInputIsNamed(String name, String setting, String value, String message) {
    assertThatThrownBy(() -> Controllers.named(name, Map.of(setting, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aFixedControllerNeedsASize() {
    assertThatThrownBy(() -> Controllers.named("fixed", Map.of())).hasMessage("fixed needs a size");
  }
}
