package io.poolkeeper.internal.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class LevelTest {

  private record Sample(long elapsed, int level) {}

  @Provide
  Arbitrary<List<Sample>> samples() {
    return Combinators.combine(
            Arbitraries.longs().between(0, 1_000_000), Arbitraries.integers().between(0, 500))
        .as(Sample::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(200);
  }

  /** Trapezia, summed one by one. */
  @Property
  void theMeanIsTheAreaUnderStraightLinesBetweenSamples(@ForAll("samples") List<Sample> samples) {
    Level level = new Level(1000);
    long now = 1000;
    double area = 0;
    int before = 0;
    int max = 0;
    int last = samples.size() - 1;
    for (int i = 0; i <= last; i++) {
      Sample sample = samples.get(i);
      now += sample.elapsed();
      area += sample.elapsed() * (before + sample.level()) / 2.0;
      before = sample.level();
      max = Math.max(max, sample.level());
      if (i < last) {
        level.sample(now, sample.level());
      }
    }
    Level.Summary summary = level.close(now, before);
    double expected = now == 1000 ? before : area / (now - 1000);
    assertThat(summary.mean()).isCloseTo(expected, within(1e-6 * Math.max(1, expected)));
    assertThat(summary.max()).isEqualTo(max);
    assertThat(summary.samples()).isEqualTo(samples.size());
  }

  @Example
  void aLevelThatStaysIsItsOwnMeanAndMaximumInEveryLaterWindow() {
    Level level = new Level(0);
    level.close(10, 4);
    assertThat(level.close(20, 4)).isEqualTo(new Level.Summary(4, 4, 1));
    assertThat(level.close(35, 4)).isEqualTo(new Level.Summary(4, 4, 1));
  }

  @Example
  void aSampleFromThePastAddsNoTime() {
    Level level = new Level(0);
    level.sample(100, 2);
    level.sample(90, 2);
    Level.Summary summary = level.close(200, 2);
    assertThat(summary.mean()).isEqualTo((100 * 1.0 + 100 * 2.0) / 200);
  }

  @Example
  void theStripeThatLookedMoreOftenWeighsMore() {
    Level.Summary merged = new Level.Summary(4, 9, 3).and(new Level.Summary(8, 5, 1));
    assertThat(merged).isEqualTo(new Level.Summary(5, 9, 4));
    assertThat(Level.Summary.NONE.and(Level.Summary.NONE)).isEqualTo(Level.Summary.NONE);
  }
}
