package io.poolkeeper.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Explanations of values that are of another type than their property. */
final class InvalidTypeAnalyzerTest {

  /** Asks all analyzers of the class path, as Spring Boot does. */
  private static FailureAnalysis explain(String property, String value) {
    Binder binder = new Binder(new MapConfigurationPropertySource(Map.of(property, value)));
    BindException failure =
        catchThrowableOfType(
            BindException.class, () -> binder.bind("poolkeeper", PoolkeeperProperties.class));
    return SpringFactoriesLoader.forDefaultResourceLocation()
        .load(FailureAnalyzer.class, (type, name, problem) -> {})
        .stream()
        .map(analyzer -> analyzer.analyze(new IllegalStateException(failure)))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pools.web.max   | 20 threads | must be a whole number | 20",
        "pools.web.min   | 3.7        | must be a whole number | 4",
        "pools.web.min   | -2x        | must be a whole number | 1",
        "pools.web.max   | 9999999999 | must be a whole number | 2147483647",
        "coordinate      | ture       | must be true or false  | true",
        "web.patience    | 2 seconds  | must be a time such as 500ms or 1s | 2s",
        "web.retry-after | 300 millis | must be a time such as 500ms or 1s | 300ms",
      })
  void theNearestValidValueIsNamed(String name, String value, String reason, String nearest) {
    FailureAnalysis analysis = explain("poolkeeper." + name, value);

    assertThat(analysis.getDescription())
        .isEqualTo(
            "poolkeeper.%s = %s: %s; nearest valid value: %s"
                .formatted(name, value, reason, nearest));
    assertThat(analysis.getAction())
        .isEqualTo("Set poolkeeper.%s=%s, or remove the property.".formatted(name, nearest));
  }

  @Test
  void aValueWithoutANumberIsNamedWithItsType() {
    assertThat(explain("poolkeeper.pools.web.max", "many").getDescription())
        .isEqualTo("poolkeeper.pools.web.max = many: must be a whole number");
    assertThat(explain("poolkeeper.web.patience", "soon").getDescription())
        .isEqualTo("poolkeeper.web.patience = soon: must be a time such as 500ms or 1s");
  }

  @Test
  void aGroupWithoutSettingsIsNamedWithOne() {
    assertThat(explain("poolkeeper.pools.web", "3").getDescription())
        .isEqualTo(
            "poolkeeper.pools.web = (no settings): is a group and must have settings below it, such as"
                + " poolkeeper.pools.web.max");
    assertThat(explain("poolkeeper.console", "8089").getDescription())
        .endsWith("such as poolkeeper.console.port");
  }
}
