package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.SizeTable;
import io.poolkeeper.controllers.StepController;
import io.poolkeeper.controllers.StepController.Lock;
import io.poolkeeper.controllers.StepController.Phase;
import io.poolkeeper.controllers.StepController.State;
import io.poolkeeper.controllers.StepSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The trace that Costa 2019 prints of the mean latency controller, row by row. */
final class StepControllerTraceTest {

  private record Row(int size, double latencyMillis) {}

  @Test
  void everyRowYieldsTheNextRowsSize() {
    List<Row> rows = rows();
    Row before = rows.get(0);
    StepController controller =
        new StepController("mean-latency", Objective.meanResponseTime(), StepSettings.RESPONSE_TIME)
            .resume(
                new State(
                    Phase.INCREASE,
                    true,
                    new Lock(false, 0),
                    new Lock(false, 0),
                    before.latencyMillis() * 1e6,
                    before.size(),
                    SizeTable.EMPTY));
    for (int i = 1; i + 1 < rows.size(); i++) {
      Row row = rows.get(i);
      Window window =
          WindowBuilder.ofSize(row.size()).completions(1000).response(row.latencyMillis()).build();
      int decided = controller.decide(window).size();
      assertThat(decided).as("size after row %d: %s", i, row).isEqualTo(rows.get(i + 1).size());
    }
    assertThat(rows).hasSize(15);
  }

  private static List<Row> rows() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    StepControllerTraceTest.class.getResourceAsStream("mean-latency-trace.csv")),
                StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .skip(1)
          .map(line -> line.split(",", -1))
          .map(cells -> new Row(Integer.parseInt(cells[1]), Double.parseDouble(cells[2])))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
