package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RangesTest {

  @Test
  void endsBelongToTheRange() {
    assertThatCode(
            () -> {
              Ranges.require("--noise", 0, 0, 1_000_000_000);
              Ranges.require("--noise", 1_000_000_000, 0, 1_000_000_000);
            })
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({"0.5, 0.5", "-1, -1", "1000000001, 1000000001", "NaN, NaN", "Infinity, Infinity"})
  void othersAreNamedWithOptionAndRange(double value, String text) {
    assertThatThrownBy(() -> Ranges.require("--noise", value, 1, 1_000_000_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--noise must be from 1 to 1000000000, but is " + text);
  }
}
