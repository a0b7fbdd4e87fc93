package io.poolkeeper.testbed.disk.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.disk.Storage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReportTest {

  private static Report report(int repetitions, Map<Integer, List<Double>> rates) {
    Storage storage = new Storage(Path.of("/data"), "ext4", "/dev/sda", 1L << 40);
    return new Report(
        storage, 1 << 29, 1 << 16, true, repetitions, Map.of(Access.READ, Curve.of(rates)));
  }

  @Test
  void singleMeasurementHasNoSpread() {
    Report report = report(1, Map.of(1, List.of(5e6), 2, List.of(9e6)));
    assertThat(report.lines())
        .anyMatch(line -> line.endsWith("measured once, so that nothing tells the spread"))
        .contains("      2         9.0", "   knee           2")
        .noneMatch(line -> line.contains("±") || line.contains("brackets"));
    assertThat(report.json().toString()).contains("standard_deviation=null");
  }

  @Test
  void knownOnlyWithinBoundsIsShownWithThem() {
    Report report =
        report(
            3,
            Map.of(
                1, List.of(5e6, 9e6, 5e6),
                2, List.of(9e6, 9e6, 8e6),
                4, List.of(9e6, 9e6, 10e6)));
    assertThat(report.lines())
        .contains("   knee           4 (1-4)")
        .anyMatch(line -> line.startsWith("suggested pool size: 4 (1-4); there reads reach 100 %"));
    assertThat(report.json()).containsEntry("suggested_by_repetition", List.of(2, 1, 4));
  }

  @Test
  void repetitionsThatAgreeNeedNoBounds() {
    Report report =
        report(2, Map.of(1, List.of(5e6, 5e6), 2, List.of(9e6, 9.1e6), 4, List.of(9e6, 9.1e6)));
    assertThat(report.lines())
        .contains("   knee           2")
        .anyMatch(line -> line.startsWith("suggested pool size: 2; there"));
  }
}
