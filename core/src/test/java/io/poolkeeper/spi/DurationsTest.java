package io.poolkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.TimeStats;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.assertj.core.data.Percentage;

/** Against the sorted values themselves. */
final class DurationsTest {

  /** Of so many at most the percentiles are exact. */
  private static final int FEW = 256;

  private static final long DAY = 86_400_000_000_000L;

  @Provide
  Arbitrary<List<Long>> durations() {
    Arbitrary<Long> anyScale =
        Arbitraries.doubles().between(0, 46).map(power -> (long) Math.pow(2, power) - 1);
    return anyScale.list().ofMinSize(1).ofMaxSize(2000);
  }

  @Property(tries = 300)
  void meanAndMaximumAreExactAndPercentilesWithinOnePercent(
      @ForAll("durations") List<Long> values) {
    Durations durations = new Durations(Double.NaN);
    values.forEach(durations::record);
    check(durations.stats(), values);
  }

  @Property(tries = 100)
  void addingTwoIsAsIfOneHadSeenAll(
      @ForAll("durations") List<Long> some, @ForAll("durations") List<Long> others) {
    Durations first = new Durations(Double.NaN);
    some.forEach(first::record);
    Durations other = new Durations(Double.NaN);
    others.forEach(other::record);
    first.add(other);
    List<Long> all = new ArrayList<>(some);
    all.addAll(others);
    check(first.stats(), all);
  }

  @Property(tries = 100)
  void zerosCountAsRecordedOnes(
      @ForAll("durations") List<Long> values, @ForAll @IntRange(max = 600) int zeros) {
    Durations durations = new Durations(Double.NaN);
    values.forEach(durations::record);
    durations.recordZeros(zeros);
    List<Long> all = new ArrayList<>(values);
    all.addAll(Collections.nCopies(zeros, 0L));
    check(durations.stats(), all);
  }

  @Property(tries = 50)
  void afterAResetNothingIsLeft(@ForAll("durations") List<Long> values) {
    Durations durations = new Durations(Double.NaN);
    values.forEach(durations::record);
    durations.reset();
    assertThat(durations.stats()).isEqualTo(TimeStats.EMPTY);
    durations.record(7);
    assertThat(durations.stats()).isEqualTo(new TimeStats(1, 7, 7, 7, 7, 7, 7, 7));
  }

  @Example
  void whatLiesOutsideOfADayIsTakenForItsEdge() {
    Durations durations = new Durations(Double.NaN);
    durations.record(-5);
    durations.record(Long.MAX_VALUE);
    TimeStats stats = durations.stats();
    assertThat(stats.p50()).isZero();
    assertThat(stats.max()).isEqualTo(DAY);
    assertThat(stats.mean()).isEqualTo(DAY / 2.0);
  }

  private static void check(TimeStats stats, List<Long> values) {
    List<Long> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    double sum = sorted.stream().mapToDouble(Long::doubleValue).sum();
    assertThat(stats.count()).isEqualTo(sorted.size());
    assertThat(stats.max()).isEqualTo(sorted.get(sorted.size() - 1));
    assertThat(stats.mean()).isCloseTo(sum / sorted.size(), Percentage.withPercentage(1e-9));
    for (double fraction : new double[] {0.5, 0.9, 0.95, 0.99, 0.999}) {
      int rank = (int) Math.ceil(fraction * sorted.size());
      long exact = sorted.get(rank - 1);
      assertThat((double) stats.percentile(fraction))
          .as("%s of %d values", fraction, sorted.size())
          .isGreaterThanOrEqualTo((double) exact)
          .isCloseTo((double) exact, within(sorted.size() <= FEW ? 0 : 0.01 * exact));
    }
  }

  @Property(tries = 50)
  void aFurtherFractionIsMeasuredBesideTheUsualOnes(
      @ForAll @DoubleRange(min = 0.5, max = 0.9999) @Scale(4) double fraction,
      @ForAll @IntRange(min = 1, max = 2_000) int count) {
    Durations durations = new Durations(fraction);
    for (int i = 1; i <= count; i++) {
      durations.record(i);
    }
    TimeStats stats = durations.stats();
    double exact = Math.ceil(fraction * count);
    assertThat((double) stats.percentile(fraction))
        .isGreaterThanOrEqualTo(exact)
        .isCloseTo(exact, within(count <= FEW ? 0 : 0.01 * exact));
    assertThat(stats.p99()).isEqualTo(numbers(count).p99());
  }

  private static TimeStats numbers(int count) {
    Durations durations = new Durations(Double.NaN);
    for (int i = 1; i <= count; i++) {
      durations.record(i);
    }
    return durations.stats();
  }

  /** The step that holds it ends far above it. */
  @Example
  void noPercentileExceedsTheMaximum() {
    Durations durations = new Durations(Double.NaN);
    for (int i = 0; i <= FEW; i++) {
      durations.record(1L << 30);
    }
    TimeStats stats = durations.stats();
    assertThat(stats.p50()).isEqualTo(1L << 30);
    assertThat(stats.p999()).isEqualTo(stats.max());
  }
}
