package io.poolkeeper.testbed.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.commands.BadInput;
import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LoadEstimateTest {

  @TempDir private Path folder = Path.of("");

  /** Tiers that serve 100 requests a second at most, each for a reason of its own, for 100 s. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cores: 1, work: [{cpu: 10ms}]|0.01
          cores: 2, work: [{cpu: 10ms, probability: 0.5}, {cpu: 15ms}]|0.02
          workers: 4, work: [{wait: 40ms}]|0.04
          workers: 10, cores: 9, work: [{cpu: 50ms}, {wait: 50ms}]|0.1
          stations: {disk: {rates: {1: 50/s, 8: 200/s, 20: 10/s}}}, work: [{use: disk, amount: 2}]|0.01
          workers: {controller: throughput, bounds: 1..4}, work: [{wait: 40ms}]|0.04
          work: [{call: behind, times: 4}]|0.04
          """)
  void whatIsMoreThanTheTiersCanServePilesUp(String tier, double alone)
      throws BadInput, IOException {
    assertThat(most(tier, "kind: open, rate: 130/s")).isCloseTo(3000, Offset.offset(1e-6));
    assertThat(most(tier, "kind: open, rate: 99/s")).isCloseTo(99 * alone, Offset.offset(1e-6));
    assertThat(most(tier, "kind: half-open, rate: 65/s, stay: 0.5"))
        .isCloseTo(3000, Offset.offset(1e-6));
    assertThat(most(tier, "kind: open, phases: [{rate: 200/s, for: 10s}, {rate: 0/s, for: 90s}]"))
        .isCloseTo(1000, Offset.offset(1e-6));
    // Above 100 a second for 50 s, by 50 on average; below it before, and after.
    String ramp =
        "kind: open, phases: [{rate: 0/s to 200/s, for: 100s}, {rate: 90/s to 0/s, for: 9s}]";
    assertThat(most(tier, ramp)).isCloseTo(2500, Offset.offset(1e-6));
    assertThat(most(tier, "kind: closed, users: 77")).isEqualTo(77);
    assertThat(most(tier, "kind: closed, phases: [{users: 77 to 5, for: 9s}]")).isEqualTo(77);
  }

  @ParameterizedTest
  @CsvSource("'workers: {size: 4, queue: 10}, work: [{wait: 40ms}]'")
  void whatIsRefusedDoesNot(String tier) throws BadInput, IOException {
    assertThat(most(tier, "kind: open, rate: 1000/s")).isEqualTo(14);
  }

  /** Little's law, and no more than arrive in the 100 s of the run. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          wait: 20s | kind: open, rate: 130/s | 2600
          wait: 10h | kind: open, rate: 130/s | 13000
          wait: 20s | kind: open, phases: [{rate: 10/s, for: 10s}, {rate: 0/s, for: 90s}] | 100
          wait: 20s | kind: open, phases: [{rate: 0/s to 10/s, for: 100s}] | 180
          wait: 20s | kind: open, phases: [{rate: 10/s to 0/s, for: 100s}] | 180
          wait: 1s  | kind: half-open, rate: 10/s, stay: 0.5, think_time: 30s | 320
          wait: 3s  | kind: half-open, rate: 10/s, chain: {first: a, next: {a: {end: 1}}} | 30
          """)
  void whatMerelyWaitsIsThereAsWell(String work, String clients, double most)
      throws BadInput, IOException {
    assertThat(most("work: [{%s}]".formatted(work), clients)).isCloseTo(most, Offset.offset(1e-6));
  }

  /** 20 s at 100 a second with requests that wait for 1 s, then with others that wait for 10 s. */
  @Test
  void eachPhaseCountsWithItsOwnRequests() throws BadInput, IOException {
    String text =
        """
        question: How many?
        clients:
          kind: open
          phases:
            - {rate: 100/s, requests: {short: 1}, for: 20s}
            - {rate: 100/s, requests: {long: 1}, for: 20s}
        tiers:
          server: {work_for: {short: [{wait: 1s}], long: [{wait: 10s}]}}
        run: {seed: 1}
        """;
    assertThat(new LoadEstimate(Examples.read(folder, "model", text)).most())
        .isCloseTo(1000, Offset.offset(1e-6));
  }

  private double most(String tier, String clients) throws BadInput, IOException {
    String text =
        """
        question: How many?
        clients: {%s}
        tiers:
          server: {%s}
          behind: {cores: 4, work: [{cpu: 10ms}]}
        run: {%s}
        """
            .formatted(clients, tier, clients.contains("phases") ? "seed: 1" : "for: 100s");
    return new LoadEstimate(Examples.read(folder, "model", text)).most();
  }
}
