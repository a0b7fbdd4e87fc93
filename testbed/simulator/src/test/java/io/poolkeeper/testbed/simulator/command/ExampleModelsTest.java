package io.poolkeeper.testbed.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The example models find the exact values that stand in their comments. */
final class ExampleModelsTest {

  private static final Pattern EXPECTED =
      Pattern.compile("# expected: (throughput|mean|refused|wait for (\\S+)) ([0-9.]+)(/s| ms)?");
  private static final int STANDARD_ERRORS = 3;

  /** The value must be told, not only lie within an interval that is as wide as itself. */
  private static final double PRECISION = 0.03;

  static Stream<Path> exact() throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(Examples.FOLDER)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".yaml")).sorted().toList()) {
        if (EXPECTED.matcher(Files.readString(file)).find()) {
          found.add(file);
        }
      }
    }
    assertThat(found).hasSizeGreaterThanOrEqualTo(5);
    return found.stream();
  }

  @ParameterizedTest
  @MethodSource
  void exact(Path file) throws BadInput, IOException {
    Summary summary = Examples.play(ModelFile.read(file));
    Summary.Requests request = summary.requests().get(0);
    Matcher expected = EXPECTED.matcher(Files.readString(file));
    while (expected.find()) {
      double value = Double.parseDouble(expected.group(3));
      double factor = " ms".equals(expected.group(4)) ? 1e-3 : 1;
      Estimate found =
          switch (expected.group(1)) {
            case "throughput" -> request.throughput();
            case "mean" -> request.response().mean();
            case "refused" -> request.failed();
            default ->
                summary.pools().stream()
                    .filter(pool -> pool.name().equals(expected.group(2)))
                    .findFirst()
                    .orElseThrow()
                    .queueWait()
                    .mean();
          };
      assertThat(Math.abs(found.value() - value * factor))
          .as("%s: %s", expected.group(), found)
          .isLessThanOrEqualTo(STANDARD_ERRORS * found.standardError());
      assertThat(found.standardError()).isLessThan(PRECISION * value * factor);
    }
  }

  /**
   * Measured: 430/s with the controller, 58/s with 2 workers, 478/s with 24, which is the best size
   * for the phases of 100 users and needs all its workers in those of one.
   */
  @Test
  void aPoolThatSizesItselfFollowsTheLoad(@TempDir Path folder) throws BadInput, IOException {
    String text = Files.readString(Examples.FOLDER.resolve("varying-load.yaml"));
    Summary adaptive = Examples.play(Examples.read(folder, "adaptive", text));
    Summary two = Examples.play(Examples.read(folder, "two", fixed(text, 2)));
    Summary best = Examples.play(Examples.read(folder, "best", fixed(text, 24)));

    assertThat(throughput(adaptive))
        .isGreaterThan(5 * throughput(two))
        .isBetween(0.8 * throughput(best), throughput(best));
    assertThat(adaptive.pools().get(0).size().value()).isBetween(5.0, 24.0);
  }

  private static String fixed(String text, int workers) {
    String changed = text.replaceAll("workers: \\{.*}", "workers: " + workers);
    assertThat(changed).isNotEqualTo(text);
    return changed;
  }

  private static double throughput(Summary summary) {
    return summary.requests().get(0).throughput().value();
  }
}
