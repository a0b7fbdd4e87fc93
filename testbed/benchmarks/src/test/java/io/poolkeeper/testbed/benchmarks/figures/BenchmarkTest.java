package io.poolkeeper.testbed.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.commands.Ranges;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

final class BenchmarkTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Counting benchmark = new Counting();

  @Command(name = "counting", description = "Counts.")
  private static final class Counting extends Benchmark {

    @Option(names = "--rounds", paramLabel = "N")
    private int rounds = 1;

    private int measured;

    @Override
    protected void check() {
      Ranges.require("--rounds", rounds, 1, 10);
    }

    @Override
    protected int measure() {
      measured++;
      return 0;
    }
  }

  private int run(String... arguments) {
    return Benchmark.execute(
        benchmark,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        arguments);
  }

  @Test
  void theCommandAndTheMachineComeFirst() {
    assertThat(run("--rounds", "2")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .startsWith("command: ./poolkeeper bench counting --rounds 2\nmachine: ");
    assertThat(benchmark.measured).isEqualTo(1);
  }

  @Test
  void aWrongValueGetsOneLineAndNothingIsMeasured() {
    assertThat(run("--rounds", "0")).isEqualTo(2);
    assertThat(err).hasToString("poolkeeper: --rounds must be from 1 to 10, but is 0\n");
    assertThat(out.size()).isZero();
    assertThat(benchmark.measured).isZero();
  }

  @Test
  void anUnknownOptionGetsTheNearest() {
    assertThat(run("--round", "2")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("did you mean '--rounds'?")
        .hasLineCount(1);
  }

  @Test
  void helpExplainsAndMeasuresNothing() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .startsWith("Usage: ./poolkeeper bench counting")
        .contains("Counts.");
    assertThat(benchmark.measured).isZero();
  }
}
