package io.poolkeeper.testbed.disk.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PhaseTest {

  @Test
  void phaseIsReadFromItsText() {
    assertThat(Phase.parse("rw_2mb:200:oneshot", Workload::named))
        .isEqualTo(new Phase<>(Workload.RW_2MB, 200, 0));
    assertThat(Phase.parse("read_2mb:1:100us", Workload::named))
        .isEqualTo(new Phase<>(Workload.READ_2MB, 1, 100_000));
    assertThat(Phase.parse("rw_4kb:7:30ms", Workload::named))
        .isEqualTo(new Phase<>(Workload.RW_4KB, 7, 30_000_000));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rw_2mb            | must be workload:jobs:arrivals",
        "rw_2m:1:oneshot   | did you mean 'rw_2mb'",
        "rw_2mb:0:oneshot  | jobs of a phase must be from 1",
        "rw_2mb:x:oneshot  | but are 'x'",
        "rw_2mb:1:30s      | arrivals must be oneshot, or one job every",
        "rw_2mb:1:0ms      | but are '0ms'",
      })
  void anythingElseIsNamed(String text, String message) {
    assertThatThrownBy(() -> Phase.parse(text, Workload::named))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
