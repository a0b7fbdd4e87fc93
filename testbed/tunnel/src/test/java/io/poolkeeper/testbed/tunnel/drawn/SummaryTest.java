package io.poolkeeper.testbed.tunnel.drawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.tunnel.results.Results;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The arithmetic of the tables of drawn plants. */
final class SummaryTest {

  private static final List<Draw> DRAWS = Draws.of(Draws.FIRST_REPORTED, 30);

  private static Results.Line line(Draw draw, String controller, double overall) {
    return new Results.Line(draw.cell().plant().name(), controller, overall, 0.5, 0.75, 2);
  }

  @Test
  void percentilesLieBetweenNeighbours() {
    assertThat(Summary.percentile(new double[] {3, 1, 2}, 0.5)).isEqualTo(2);
    assertThat(Summary.percentile(new double[] {4, 1, 2, 3}, 0.05)).isCloseTo(1.15, within(1e-12));
    assertThat(Summary.percentile(new double[] {7}, 0.05)).isEqualTo(7);
  }

  @Test
  void steadyDrawsAndAllAreSummedUpApart() {
    List<Results.Line> lines = new ArrayList<>();
    for (Draw draw : DRAWS) {
      boolean steady = draw.category() == Category.STEADY;
      lines.add(line(draw, "ours", steady ? 0.9 : 0.3));
      lines.add(line(draw, "nobody asked for", 0.1));
    }
    long steady = DRAWS.stream().filter(draw -> draw.category() == Category.STEADY).count();
    List<String> text = new Summary(DRAWS, List.of("ours", "not flown"), lines).text();
    assertThat(text.get(0)).contains("30 drawn plants, seeds 1000 to 1029 (for reports)");
    List<String> ours = text.stream().filter(line -> line.startsWith("ours ")).toList();
    assertThat(ours).hasSize(2);
    assertThat(ours.get(0).trim().split(" +"))
        .containsExactly(
            "ours", Long.toString(steady), "0.900", "0.900", "0.900", "0.500", "0.750", "2.00");
    double mean = (0.9 * steady + 0.3 * (30 - steady)) / 30;
    assertThat(ours.get(1)).contains("%.3f  0.300  0.300".formatted(mean));
    assertThat(text).noneMatch(line -> line.contains("nobody") || line.contains("not flown"));
    assertThat(text)
        .anyMatch(line -> line.matches("steady work in bursts +\\d+ +0\\.300 \\(0\\.300\\)"));
  }

  @Test
  void seedsSayWhatTheyAreFor() {
    assertThat(new Summary(Draws.of(1, 3), List.of(), List.of()).text().get(0))
        .contains("(for tuning)");
    assertThat(new Summary(Draws.of(998, 3), List.of(), List.of()).text().get(0))
        .contains("(for tuning and for reports)");
  }
}
