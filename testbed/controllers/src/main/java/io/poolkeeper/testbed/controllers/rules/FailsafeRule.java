package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The adaptive limiter of failsafe-go 0.9.7, which Uber's Cinnamon resembles (built from its
 * description).
 *
 * <p><b>Rule.</b> A sample is the 90th percentile of the times since the last one: at least 50
 * times, and more than 1 s or twice the shortest of them, but 30 s at most. The median of five
 * samples enters an exponential average of age 5, and that one enters the baseline, of age 10. Then
 * {@code queue = ceil(L (1 - baseline / sample))}. With {@code f = max(1, floor(log10 L))} the
 * limit goes down by {@code f} if the queue is above {@code 6 f}. While the limit is full it also
 * goes down in three other cases, by the last 50 pairs of (in flight, throughput) and (in flight,
 * sample), where throughput is in flight over sample: the first correlation is negative; it is
 * below 0.3 and the second above 0.5; the throughput varies by less than 0.2 of its mean and the
 * second correlation is above 0.5. Otherwise a queue below {@code 3 f} lets the limit go up by
 * {@code f}. It does not rise above 5 times the most in flight since the last sample; where it is
 * above, it goes down by {@code f}. Limits lie within 1 and 200, at the start 20.
 *
 * <p>Averages are plain over their first 10 samples, correlations are 0 below 10 pairs and where
 * one of the two varies by less than 1 %. A dropped task is no time. The first sample needs 50
 * times and no second.
 *
 * <p><b>What is ours.</b> The percentile is exact, interpolated between neighbours, up to 8192
 * times a sample and that of a seeded random choice of so many beyond; the source estimates it by a
 * t-digest. What is in flight is counted at the end of a task, there at its beginning.
 *
 * <p><b>When it fails.</b> It moves by 1 or 2 a second, so a far optimum is minutes away. The
 * baseline follows an overload within seconds, and what holds the limit then is the correlation
 * alone, which needs a limit that varies.
 */
public final class FailsafeRule implements SampleRule {

  private static final double QUANTILE = 0.9;
  private static final int LEAST_TIMES = 50;
  private static final int MOST_KEPT = 8192;
  private static final long LEAST_WAIT = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_WAIT = Duration.ofSeconds(30).toNanos();
  private static final int MEDIAN_OF = 5;
  private static final int WARM_UP = 10;
  private static final int CORRELATED = 50;
  private static final int GROW_BELOW = 3;
  private static final int SHRINK_ABOVE = 6;
  private static final double WEAK = 0.3;
  private static final double STRONG = 0.5;
  private static final double STEADY = 0.2;
  private static final int HEADROOM = 5;

  private final int minimum;
  private final int maximum;
  private final SplittableRandom random = new SplittableRandom(1);
  private final long[] times = new long[MOST_KEPT];
  private final double[] quantiles = new double[MEDIAN_OF];
  private final Average smooth = new Average(5);
  private final Average baseline = new Average(10);
  private final CorrelationWindow throughputs = new CorrelationWindow(CORRELATED, WARM_UP);
  private final CorrelationWindow samples = new CorrelationWindow(CORRELATED, WARM_UP);
  private double limit;
  private long seen;
  private long shortest;
  private int mostInFlight;
  private int count;
  private long closed;
  private long wait;
  private int queue;
  private String cause = "";

  /** Exponential average, plain over its first samples. */
  private static final class Average {
    private final double weight;
    private double value;
    private int count;

    Average(int age) {
      this.weight = 2.0 / (age + 1);
    }

    double add(double sample) {
      count = Math.min(count + 1, WARM_UP + 1);
      value += (sample - value) * (count <= WARM_UP ? 1.0 / count : weight);
      return value;
    }
  }

  /**
   * @param initial first limit
   * @param minimum smallest limit, 1 or more
   * @param maximum largest limit, {@code initial} or more
   */
  public FailsafeRule(int initial, int minimum, int maximum) {
    Require.limits(initial, minimum, maximum);
    this.limit = initial;
    this.minimum = minimum;
    this.maximum = maximum;
  }

  @Override
  public String name() {
    return "failsafe-style";
  }

  @Override
  public int limit() {
    return (int) limit;
  }

  @Override
  public void sample(long start, long time, int inFlight, boolean dropped) {
    if (time <= 0) {
      return;
    }
    if (!dropped) {
      keep(time, inFlight);
    }
    long end = start + time;
    // A difference, because the origin of the clock means nothing.
    if (seen >= LEAST_TIMES && (count == 0 || end - closed > wait)) {
      decide(inFlight);
      closed = end;
      wait = Math.min(LONGEST_WAIT, Math.max(LEAST_WAIT, 2 * shortest));
      seen = 0;
    }
  }

  private void keep(long time, int inFlight) {
    if (seen == 0) {
      shortest = time;
      mostInFlight = inFlight;
    }
    shortest = Math.min(shortest, time);
    mostInFlight = Math.max(mostInFlight, inFlight);
    long place = seen < MOST_KEPT ? seen : random.nextLong(seen + 1);
    if (place < MOST_KEPT) {
      times[(int) place] = time;
    }
    seen++;
  }

  private void decide(int inFlight) {
    double sample = smooth.add(median(quantile()));
    queue = (int) Math.ceil(limit * (1 - baseline.add(sample) / sample));
    throughputs.add(mostInFlight, mostInFlight / sample);
    samples.add(mostInFlight, sample);
    int step = Math.max(1, (int) Math.log10((int) limit));
    int direction = direction(inFlight >= (int) limit, step);
    double next = limit + direction * step;
    int headroom = HEADROOM * mostInFlight;
    if (next > headroom) {
      cause = "5 times what is in flight is less";
      next = limit > headroom ? limit - step : headroom;
    }
    limit = Math.max(minimum, Math.min(maximum, next));
  }

  private int direction(boolean full, int step) {
    if (queue > SHRINK_ABOVE * step) {
      cause = "the queue is long";
      return -1;
    } else if (full && throughputs.correlation() < 0) {
      cause = "throughput falls with what is in flight";
      return -1;
    } else if (full && throughputs.correlation() < WEAK && samples.correlation() > STRONG) {
      cause = "times rise with what is in flight, throughput does not";
      return -1;
    } else if (full && throughputs.variation() < STEADY && samples.correlation() > STRONG) {
      cause = "times rise with what is in flight, throughput is steady";
      return -1;
    } else if (queue < GROW_BELOW * step) {
      cause = "the queue is short";
      return 1;
    }
    cause = "the queue is neither short nor long";
    return 0;
  }

  /** The 90th percentile of the times kept, between the two neighbours of its rank. */
  private double quantile() {
    int kept = (int) Math.min(seen, MOST_KEPT);
    Arrays.sort(times, 0, kept);
    double rank = QUANTILE * kept - 0.5;
    int below = (int) rank;
    return times[below] + (rank - below) * (times[below + 1] - times[below]);
  }

  /** The median of the last five; the value itself while there are fewer. */
  private double median(double value) {
    quantiles[count % MEDIAN_OF] = value;
    count = count + 1 < 2 * MEDIAN_OF ? count + 1 : MEDIAN_OF;
    if (count < MEDIAN_OF) {
      return value;
    }
    double[] sorted = quantiles.clone();
    Arrays.sort(sorted);
    return sorted[MEDIAN_OF / 2];
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "%s: a queue of %d, sample %.3f ms against a baseline of %.3f ms, limit %d",
        cause,
        queue,
        smooth.value / 1e6,
        baseline.value / 1e6,
        limit());
  }
}
