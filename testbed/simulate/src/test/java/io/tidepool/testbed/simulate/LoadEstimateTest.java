package io.tidepool.testbed.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.clients.file.BadFile;
import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.data.Offset;
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
          cores: 1, work: [{cpu: 10ms}]
          cores: 2, work: [{cpu: 10ms, probability: 0.5}, {cpu: 15ms}]
          workers: 4, work: [{wait: 40ms}]
          workers: 10, cores: 9, work: [{cpu: 50ms}, {wait: 50ms}]
          stations: {disk: {rates: {1: 50/s, 8: 200/s, 20: 10/s}}}, work: [{use: disk, amount: 2}]
          workers: {controller: throughput, bounds: 1..4}, work: [{wait: 40ms}]
          work: [{call: behind, times: 4}]
          """)
  void whatIsMoreThanTheTiersCanServePilesUp(String tier) throws BadFile, IOException {
    assertThat(most(tier, "kind: open, rate: 130/s")).isCloseTo(3000, Offset.offset(1e-6));
    assertThat(most(tier, "kind: open, rate: 99/s")).isZero();
    assertThat(most(tier, "kind: half-open, rate: 65/s, stay: 0.5"))
        .isCloseTo(3000, Offset.offset(1e-6));
    assertThat(most(tier, "kind: open, phases: [{rate: 200/s, for: 10s}, {rate: 0/s, for: 90s}]"))
        .isCloseTo(1000, Offset.offset(1e-6));
    assertThat(most(tier, "kind: closed, users: 77")).isEqualTo(77);
  }

  @ParameterizedTest
  @CsvSource("'workers: {size: 4, queue: 10}, work: [{wait: 40ms}]'")
  void whatIsRefusedDoesNot(String tier) throws BadFile, IOException {
    assertThat(most(tier, "kind: open, rate: 1000/s")).isZero();
  }

  private double most(String tier, String clients) throws BadFile, IOException {
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
