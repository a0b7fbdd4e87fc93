package io.poolkeeper.testbed.clients.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.Test;

class ResponseTimesTest {

  private final Histogram times = new Histogram(3);

  @Test
  void theColumnsAreThoseOfTheContract() throws Exception {
    String contract = Files.readString(Path.of("../../contract/load.columns.json"));
    String names =
        Pattern.compile("\"name\": \"(\\w+)\"")
            .matcher(contract)
            .results()
            .map((MatchResult found) -> found.group(1))
            .collect(Collectors.joining(","));

    assertThat(ResponseTimes.TABLE_HEADER).isEqualTo(names);
  }

  @Test
  void anIntervalWithoutAnswersHasEmptyCells() {
    assertThat(ResponseTimes.cells(times)).isEqualTo(",,,,");
    assertThat(ResponseTimes.summary(times)).isEmpty();
  }

  @Test
  void percentilesAreNearestRank() {
    for (int i = 1; i <= 1000; i++) {
      times.recordValue(i);
    }

    assertThat(ResponseTimes.cells(times)).isEqualTo("500.5,500,900,990,1000");
    assertThat(ResponseTimes.summary(times))
        .containsEntry("p95_ns", 950L)
        .containsEntry("p999_ns", 999L);
  }

  @Test
  void aTagHoldsNoSeparators() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream file = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    HistogramLogWriter log = new HistogramLogWriter(file);
    times.recordValue(2_000_000);
    ResponseTimes.beginLog(log, file, 1_000, "nanoseconds");
    ResponseTimes.log(log, "read, page 2", 0, 1, times);

    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .startsWith("#[response times of successful requests in nanoseconds]\n")
        .contains("\nTag=read__page_2,0.000,1.000,2.0");
  }
}
