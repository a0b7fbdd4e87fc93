package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NamesTest {

  private static final List<String> NAMES = List.of("throughput", "fixed", "response-curve");

  @Test
  void aValidNameIsReturned() {
    assertThat(Names.require("controller", "fixed", NAMES)).isEqualTo("fixed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "troughput | unknown controller 'troughput'; did you mean 'throughput'?",
        "fxied     | unknown controller 'fxied'; did you mean 'fixed'?",
        "respons   | unknown controller 'respons'; did you mean 'response-curve'?",
      })
  void anUnknownOneGetsTheNearestAsAHint(String name, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Names.require("controller", name, NAMES))
        .withMessage(message + " known: fixed, response-curve, throughput");
  }

  @Test
  void anEmptyOneGetsTheListAlone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Names.require("controller", " ", NAMES))
        .withMessage("the controller is empty; known: fixed, response-curve, throughput");
  }

  @Test
  void oneThingIsNotMany() {
    assertThat(Plurals.count(1, "worker")).isEqualTo("1 worker");
    assertThat(Plurals.count(0, "worker")).isEqualTo("0 workers");
  }
}
