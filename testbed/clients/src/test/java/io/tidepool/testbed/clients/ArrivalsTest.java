package io.tidepool.testbed.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tidepool.testbed.clients.random.Arrivals;
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
        Clients.open(List.of(new Phase(2, rate), new Phase(1, 0), new Phase(2, 7)))
            .arriving(pattern);

    List<Double> times = times(clients, seed);

    assertThat(times).isSorted().noneMatch(at -> 2 <= at && at < 3).allMatch(at -> at < 5);
    assertThat(times(clients, seed)).isEqualTo(times);
  }
}
