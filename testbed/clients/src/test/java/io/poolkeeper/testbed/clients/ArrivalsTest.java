package io.poolkeeper.testbed.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.clients.random.Arrivals;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

  private static Arrivals arrivals(Clients.Arriving clients, long seed) {
    return new Arrivals(clients, new SplittableRandom(seed)::nextLong);
  }

  private static List<Double> times(Clients.Arriving clients, long seed) {
    List<Double> times = new ArrayList<>();
    for (Arrivals arrivals = arrivals(clients, seed); arrivals.next(); ) {
      for (int i = 0; i < arrivals.size(); i++) {
        times.add(arrivals.at());
      }
    }
    return times;
  }

  @Test
  void constantArrivalsBeginWithEachPhase() {
    Clients.Arriving clients =
        Clients.open(List.of(new Phase(1, 4), new Phase(0.5, 0), new Phase(1, 2)))
            .arriving(new Pattern.Constant());

    assertThat(times(clients, 1)).containsExactly(0.0, 0.25, 0.5, 0.75, 1.5, 2.0);
  }

  @Test
  void anEndlessPhaseWithoutArrivalsEndsThem() {
    Clients.Arriving clients =
        Clients.open(List.of(new Phase(1, 100), new Phase(Double.POSITIVE_INFINITY, 0)));

    assertThat(times(clients, 1)).hasSizeBetween(50, 150).allMatch(at -> at < 1);
    assertThat(times(clients.arriving(new Pattern.Bursty(2, 0.1, 0.9)), 1)).allMatch(at -> at < 1);
  }

  /** The variance of Poisson counts is their mean; bursts and batches add to it, in known ways. */
  @Test
  void countsVaryAsTheirPatternSays() {
    Clients.Arriving poisson = Clients.open(List.of(new Phase(20_000, 10)));

    assertThat(dispersion(poisson)).isCloseTo(1, within(0.05));
    // Geometric batches of mean m: (1 + variance / mean) of the size, 2 m - 1.
    assertThat(dispersion(poisson.arriving(new Pattern.Batches(3)))).isCloseTo(5, within(0.4));
    // Two rates r, 50 for 0.1 s and 5.56 for 0.9 s in the mean, that change with a rate c of 11.1:
    // 1 + 2 var(r) / (mean(r) c) (1 - (1 - exp(-c)) / c), by Heffes and Lucantoni 1986.
    assertThat(dispersion(poisson.arriving(new Pattern.Bursty(5, 0.1, 0.9))))
        .isCloseTo(3.91, within(0.3));
    assertThat(dispersion(poisson.arriving(new Pattern.Constant()))).isCloseTo(0, within(1e-9));
  }

  /** Variance over mean of the number of arrivals in a second. */
  private static double dispersion(Clients.Arriving clients) {
    double[] counts = new double[20_000];
    times(clients, 7).forEach(at -> counts[at.intValue()]++);
    double mean = 0;
    for (double count : counts) {
      mean += count / counts.length;
    }
    assertThat(mean).isCloseTo(10, within(0.25));
    double variance = 0;
    for (double count : counts) {
      variance += (count - mean) * (count - mean) / counts.length;
    }
    return variance / mean;
  }

  @Property(tries = 50)
  void timesNeverGoBackAndStayWithinThePhases(
      @ForAll long seed,
      @ForAll @IntRange(max = 3) int kind,
      @ForAll @IntRange(max = 50) int rate) {
    Pattern pattern =
        List.of(
                new Pattern.Poisson(),
                new Pattern.Constant(),
                new Pattern.Batches(2.5),
                new Pattern.Bursty(3, 0.2, 0.4))
            .get(kind);
    Clients.Arriving clients =
        Clients.open(
                List.of(
                    new Phase(1, rate),
                    new Phase(1, rate, 90 - rate),
                    new Phase(1, 0),
                    new Phase(1, 0, rate),
                    new Phase(1, 7, 0)))
            .arriving(pattern);

    List<Double> times = times(clients, seed);

    assertThat(times).isSorted().noneMatch(at -> 2 <= at && at < 3).allMatch(at -> at < 5);
    assertThat(times(clients, seed)).isEqualTo(times);
  }

  /** From a rate to another, the sum of the rate passes a whole number with each arrival. */
  @Property
  void constantArrivalsOfARampLieWhereItsRateSumsUpToWholeNumbers(
      @ForAll @IntRange(max = 1000) int from,
      @ForAll @IntRange(max = 1000) int to,
      @ForAll @IntRange(min = 1, max = 20) int seconds) {
    Phase ramp = new Phase(seconds, from, to);
    Clients.Arriving clients =
        Clients.open(List.of(ramp, new Phase(1, 1))).arriving(new Pattern.Constant());

    List<Double> times = times(clients, 1);

    double all = (from + to) / 2.0 * seconds;
    assertThat(times).hasSize((int) Math.ceil(all) + 1).isSorted();
    assertThat(times.get(times.size() - 1)).isEqualTo(seconds);
    for (int i = 0; i < times.size() - 1; i++) {
      assertThat(times.get(i)).isLessThan(seconds);
      assertThat(ramp.sum(times.get(i))).isCloseTo(i, within(1e-9 * all));
    }
  }

  /** The growth of the sum of the rate between arrivals is exponential with mean 1. */
  @Test
  void arrivalsOfARampBecomeAPoissonProcessByRescaledTime() {
    List<Phase> phases =
        List.of(
            new Phase(100, 0, 90), new Phase(60, 90, 10), new Phase(9, 40), new Phase(80, 30, 0));
    for (int seed = 0; seed < 5; seed++) {
      assertThat(distance(rescaled(times(Clients.open(phases), seed), phases)))
          .isLessThan(ONE_PERCENT);
    }
    // Batches are a Poisson process of instants, here at half the rate.
    List<Double> instants =
        times(Clients.open(phases).arriving(new Pattern.Batches(2)), 1).stream()
            .distinct()
            .toList();
    List<Phase> halves =
        phases.stream()
            .map(phase -> new Phase(phase.seconds(), phase.from() / 2, phase.to() / 2))
            .toList();
    assertThat(distance(rescaled(instants, halves))).isLessThan(ONE_PERCENT);
    // The same arrivals held against a rate in steps: the test can fail.
    List<Phase> steps =
        phases.stream()
            .map(phase -> new Phase(phase.seconds(), phase.sum(1e-9) * 1e9 + 1))
            .toList();
    assertThat(distance(rescaled(times(Clients.open(phases), 1), steps)))
        .isGreaterThan(10 * ONE_PERCENT);
  }

  /** Bursts keep the mean rate of a ramp, though each of its seconds has another. */
  @Test
  void burstsOnARampHaveItsMeanRate() {
    List<Phase> phases = List.of(new Phase(2_000, 0, 20));
    Clients.Arriving bursty = Clients.open(phases).arriving(new Pattern.Bursty(3, 0.2, 0.8));

    List<Double> times = times(bursty, 3);

    assertThat(times.size()).isCloseTo(20_000, within(600));
    assertThat(times.stream().filter(at -> at < 1_000).count()).isCloseTo(5_000, within(400L));
  }

  /**
   * Critical value of the distance of Kolmogorov and Smirnov, times the root of the number, at 1 %.
   */
  private static final double ONE_PERCENT = 1.628;

  /** By how much the sum of the rate grows from one arrival to the next. */
  private static List<Double> rescaled(List<Double> times, List<Phase> phases) {
    List<Double> gaps = new ArrayList<>();
    double before = 0;
    for (double time : times) {
      double sum = 0;
      double start = 0;
      for (Phase phase : phases) {
        sum += phase.sum(Math.max(0, Math.min(phase.seconds(), time - start)));
        start += phase.seconds();
      }
      gaps.add(sum - before);
      before = sum;
    }
    return gaps;
  }

  /** Distance of Kolmogorov and Smirnov to the exponential, times the root of the number. */
  private static double distance(List<Double> gaps) {
    double[] sorted = gaps.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    double most = 0;
    for (int i = 0; i < sorted.length; i++) {
      double probability = 1 - Math.exp(-sorted[i]);
      most = Math.max(most, probability - (double) i / sorted.length);
      most = Math.max(most, (i + 1.0) / sorted.length - probability);
    }
    return most * Math.sqrt(sorted.length);
  }
}
