package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ObjectiveTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "throughput",
        "disk-throughput",
        "mean-response-time",
        "p50-response-time",
        "p90-response-time",
        "p925-response-time",
        "p9999-response-time",
        "p95-response-time",
        "p99-response-time",
        "p999-response-time",
        "goodput:300ms",
        "goodput:2s",
        "goodput:1500us",
        "goodput:1ns",
      })
  void theNameOfAnObjectiveNamesIt(String name) {
    Objective objective = Objective.named(name);
    assertThat(objective.name()).isEqualTo(name);
    assertThat(Objective.named(name)).isEqualTo(objective).hasSameHashCodeAs(objective);
  }

  @Test
  void namesStandForWhatTheFactoriesMake() {
    assertThat(Objective.named("throughput")).isEqualTo(Objective.throughput());
    assertThat(Objective.named("mean-response-time")).isEqualTo(Objective.named("mean-latency"));
    assertThat(Objective.named("mean-latency")).isEqualTo(Objective.meanResponseTime());
    assertThat(Objective.named("p999-latency")).isEqualTo(Objective.percentile(0.999));
    assertThat(Objective.named("p9725-response-time").fraction()).hasValue(0.9725);
    assertThat(Objective.named("goodput:60s")).isEqualTo(Objective.goodput(Duration.ofMinutes(1)));
    assertThat(Objective.named("p50-response-time")).isNotEqualTo(Objective.percentile(0.9));
    assertThat(Objective.named("goodput:1s")).isNotEqualTo(Objective.named("goodput:2s"));
  }

  @Test
  void diskThroughputIsThatOfTheWindowOrTheReasonWhyThereIsNone() {
    Objective objective = Objective.diskThroughput();
    DiskStats disk =
        new DiskStats(
            6_000_000, 1, 2, 3, 0.5, DiskStats.BlockedSource.STATE_SAMPLES, 0, Optional.empty());
    Window window = Window.builder(0, 2_000_000_000L, 4).completions(3).disk(disk).build();
    assertThat(objective.value(window)).isEqualTo(3_000_000);
    assertThat(objective.format(3_000_000)).isEqualTo("3.0 MB/s");
    assertThat(objective.problem(window)).isEmpty();
    Window without = Window.builder(0, 2_000_000_000L, 4).completions(3).build();
    assertThat(objective.value(without)).isNaN();
    assertThat(objective.problem(without)).hasValue("the pool has no disk sensor");
    assertThat(Objective.throughput().problem(without)).isEmpty();
    Controller controller = Controllers.forObjective(objective);
    assertThat(controller.decide(without).reason())
        .isEqualTo("window ignored: the pool has no disk sensor");
    assertThat(controller.decide(without).size()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "throughputt                | unknown objective 'throughputt'; known: throughput, mean-",
        "p98-respons                | unknown objective 'p98-respons'; known: throughput, mean-",
        "p49-response-time          | percentile must be a fraction from 0.5 to 0.9999, such as 0.99",
        "p99999-response-time       | but is 0.99999",
        "p5-response-time           | unknown objective 'p5-response-time'",
        "goodput                    | must have a bound, such as goodput:300ms, but is 'goodput'",
        "goodput:300                | but is 'goodput:300'",
        "goodput:0ms                | goodput bound must be positive",
        "goodput:99999999999999999s | goodput bound must be <= 292 years",
        "goodput:9999999999999999999999s | must have a bound",
      })
  void otherNamesAreRefused(String name, String expected) {
    assertThatThrownBy(() -> Objective.named(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected);
  }
}
