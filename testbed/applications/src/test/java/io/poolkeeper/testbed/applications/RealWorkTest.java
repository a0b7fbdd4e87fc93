package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.applications.downstream.DownstreamAddress;
import io.poolkeeper.testbed.applications.downstream.DownstreamServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kinds of work whose best size differs, but for the one on the database. */
@Timeout(300)
final class RealWorkTest {

  private static final ApplicationSettings PLAIN = new ApplicationSettings(11, 1);

  @ParameterizedTest
  @ValueSource(strings = {"call", "call20", "call400"})
  void callsAskThePathOfTheirName(String name) throws Exception {
    try (DownstreamServer server = new DownstreamServer(0, DownstreamServer.DEFAULTS)) {
      DownstreamAddress address =
          new DownstreamAddress("127.0.0.1", server.port(), Duration.ofMinutes(5));
      try (Application call = Applications.named(name, PLAIN.with(address))) {
        assertThat(call.answer()).isEqualTo(name + "\n");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "call20", "call400"})
  void callsWithoutADownstreamServerSaySo(String name) {
    assertThat(Applications.needsDownstream(name)).isTrue();
    assertThatThrownBy(() -> Applications.named(name, PLAIN))
        .hasMessage(name + " needs a downstream server: give --downstream");
  }

  @Test
  void onlyCallsNeedADownstreamServer() {
    assertThat(Applications.NAMES.stream().filter(Applications::needsDownstream))
        .containsExactly("call", "call20", "call400");
  }

  @Test
  void aReportSumsUpAllRowsOfAllPages() throws Exception {
    try (Application report = Applications.named("report", PLAIN);
        Application same = Applications.named("report", PLAIN)) {
      String first = report.answer();
      assertThat(first).startsWith(Report.PAGES * Report.ROWS_PER_PAGE + " rows, ");
      // The same seed, the same rows.
      assertThat(same.answer()).isEqualTo(first);
      assertThat(same.answer()).isNotEqualTo(first);
    }
  }

  @Test
  void computingIsTheSameWorkEachTime() throws Exception {
    try (Application cpu = Applications.named("cpu", PLAIN)) {
      String first = cpu.answer();
      assertThat(cpu.answer()).isEqualTo(first);
    }
    assertThat(Computation.run(0, 7)).isEqualTo(7);
    assertThat(Computation.run(0.5, 7)).isNotEqualTo(Computation.run(1, 7));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.25, 1})
  void aCriticalSectionMayBeAnyShareOfTheWork(double share) throws Exception {
    ApplicationSettings settings = new ApplicationSettings(11, 1, null, null, share);
    try (Application lock = Applications.named("lock", settings)) {
      assertThat(lock.answer()).matches("-?\\d+");
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void aShareThatIsNoneIsNamed(double share) {
    assertThatThrownBy(() -> new ApplicationSettings(11, 1, null, null, share))
        .hasMessage("lock-share must be within 0..1, but is " + share);
  }

  @Test
  void transactionsChangeTwoToFourDifferentRowsInAnyOrder() {
    SplittableRandom random = new SplittableRandom(1);
    boolean downwards = false;
    boolean[] counts = new boolean[5];
    boolean[] first = new boolean[HotRows.ROWS + 1];
    for (int i = 0; i < 1_000; i++) {
      int[] rows = HotRows.rows(random);
      assertThat(rows.length).isBetween(2, 4);
      assertThat(rows).doesNotHaveDuplicates();
      assertThat(Arrays.stream(rows)).allMatch(row -> row >= 1 && row <= HotRows.ROWS);
      counts[rows.length] = true;
      first[rows[0]] = true;
      downwards |= rows[0] > rows[1];
    }
    assertThat(downwards).isTrue();
    assertThat(counts).containsExactly(false, false, true, true, true);
    assertThat(IntStream.rangeClosed(1, HotRows.ROWS)).allMatch(row -> first[row]);
  }
}
