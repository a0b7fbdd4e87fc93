package io.poolkeeper.testbed.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MedianIntervalTest {

  private static List<Double> upTo(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> (double) i).toList();
  }

  /** Ranks are those of tables of the sign test. */
  @ParameterizedTest
  @CsvSource({"6, 1, 6", "9, 2, 8", "12, 3, 10", "15, 4, 12", "20, 6, 15"})
  void ranksAreThoseOfTheSignTest(int count, double least, double most) {
    assertThat(MedianInterval.of(upTo(count))).hasValue(new MedianInterval(least, most));
  }

  @Test
  void fiveValuesTellNothing() {
    assertThat(MedianInterval.of(upTo(5))).isEmpty();
    assertThat(MedianInterval.atLeast(upTo(5), 0))
        .endsWith("target >= 0.00: too few rounds to tell");
  }

  @ParameterizedTest
  @CsvSource({"1, reached", "2, undecided", "7, missed"})
  void aTargetIsReachedOnlyByTheWholeInterval(double target, String verdict) {
    assertThat(MedianInterval.atLeast(upTo(6), target)).endsWith(verdict);
  }

  @ParameterizedTest
  @CsvSource({"7, reached", "6, undecided", "1, missed"})
  void aBoundIsKeptOnlyByTheWholeInterval(double target, String verdict) {
    assertThat(MedianInterval.below(upTo(6), target)).endsWith(verdict);
  }
}
