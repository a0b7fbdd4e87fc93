package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ControllersNamedTest {

  @Test
  void everyNameHasAControllerWithItsDefaults() {
    for (ControllerDescriptor<Controller> descriptor : Controllers.all()) {
      String name = descriptor.name();
      Map<String, String> needed = name.equals("fixed") ? Map.of("size", "4") : Map.of();
      assertThat(Controllers.named(name, needed).name()).isEqualTo(name);
    }
  }

  @Test
  void anotherModulesControllersAreKnownByTheirNames() {
    assertThat(Controllers.all())
        .extracting(ControllerDescriptor::name)
        .containsExactly(
            "fixed", "throughput", "mean-latency", "p99-latency", "response-curve", "half");
    assertThat(Controllers.named("half", Map.of()).decide(WindowBuilder.idle(8)).size())
        .isEqualTo(4);
    assertThatThrownBy(() -> Controllers.named("half", Map.of("step", "1")))
        .hasMessage("half has no settings, but is given step");
  }

  /** Named in this test's META-INF/services. */
  public static final class Halves implements ControllerProvider {
    @Override
    public List<ControllerDescriptor<Controller>> controllers() {
      return List.of(
          new ControllerDescriptor<>(
              "half",
              "this test",
              "size",
              "every window",
              "always",
              Duration.ofSeconds(1),
              List.of(),
              settings -> new Half()));
    }
  }

  private static final class Half implements Controller {
    @Override
    public Decision decide(Window window) {
      return Decision.towards(window.size() / 2, "half of " + window.size());
    }

    @Override
    public String name() {
      return "half";
    }
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
        "troughput    | step      | 3    | unknown controller 'troughput'; known: fixed, ",
        "respons      | step      | 3    | unknown controller 'respons'; known: fixed, ",
        "''           | step      | 3    | unknown controller ''; known: fixed, ",
        "mean-latency | stp       | 3    | unknown setting of mean-latency 'stp'; known: step, threshold, lock",
        "mean-latency | step      | ten  | step must be a whole number, but is 'ten'",
        "mean-latency | step      | 0    | step must be >= 1, but is 0",
        "mean-latency | threshold | 5    | threshold must be a fraction between 0 and 1, such as 0.05, but is 5.0",
        "mean-latency | threshold | NaN  | threshold must be a number, but is 'NaN'",
        "mean-latency | threshold | 5%   | threshold must be a number, but is '5%'",
        "mean-latency | lock      | -1   | lock must be >= 0, but is -1",
        "response-curve | tolerance  | 0   | tolerance must be a fraction above 0 and below 0.5, such as 0.03, but is 0.0",
        "response-curve | processors | 0   | processors must be >= 1, but is 0",
        "response-curve | objective  | p98-late | unknown objective 'p98-late'; known: throughput, ",
        "fixed        | size      | 0    | size must be >= 1, but is 0",
        "fixed        | step      | 1    | unknown setting of fixed 'step'; known: size",
      })
  void badInputIsNamed(String name, String setting, String value, String message) {
    assertThatThrownBy(() -> Controllers.named(name, Map.of(setting, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aFixedControllerNeedsASize() {
    assertThatThrownBy(() -> Controllers.named("fixed", Map.of()))
        .hasMessage("fixed needs the setting 'size': workers, 1 or more");
  }
}
