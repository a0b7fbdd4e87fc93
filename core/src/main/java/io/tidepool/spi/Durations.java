package io.tidepool.spi;

import io.tidepool.TimeStats;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A distribution of durations. The first {@value #FEW} are kept as they are: a quiet pool needs no
 * more, its percentiles are exact, and a histogram would cost it more to walk and to clear than
 * they cost to sort. From then on the shape is kept in an HdrHistogram of two significant digits
 * that grows with its largest value (128 counts an octave, 16 KB for durations up to 100 ms), the
 * sum and the maximum exactly. Not thread-safe.
 */
final class Durations {

  /** A day. A longer duration counts as one, which keeps the histogram below 50 KB. */
  private static final long LONGEST = 86_400_000_000_000L;

  private static final int FEW = 256;

  /** No histogram has room for less. */
  private static final long SMALLEST = 255;

  private static final double[] FRACTIONS = {0.5, 0.9, 0.95, 0.99, 0.999};

  private final long[] few = new long[FEW];

  /** All, once they are more than a few. */
  private @Nullable Histogram histogram;

  private long count;
  private double sum;
  private long max;

  void record(long nanos) {
    // A clock that is not quite monotonic between two cores must not throw into a user's task.
    long value = Math.max(0, Math.min(LONGEST, nanos));
    keep(value);
    sum += value;
    if (value > max) {
      max = value;
    }
  }

  private void keep(long value) {
    if (count < FEW) {
      few[(int) count] = value;
    } else {
      many(value).recordValue(value);
    }
    count++;
  }

  void recordZeros(long times) {
    if (count + times <= FEW) {
      Arrays.fill(few, (int) count, (int) (count + times), 0);
    } else {
      many(0).recordValueWithCount(0, times);
    }
    count += times;
  }

  void add(Durations other) {
    max = Math.max(max, other.max);
    if (other.count <= FEW) {
      for (int i = 0; i < other.count; i++) {
        keep(other.few[i]);
      }
    } else {
      many(other.max).add(other.many(other.max));
      count += other.count;
    }
    sum += other.sum;
  }

  /**
   * The histogram, which is given the few that were kept if it does not hold them yet. It is
   * replaced where it must grow: one that finds no memory while it does so itself throws ever
   * after.
   *
   * @param largest value that must fit beside those recorded
   */
  private Histogram many(long largest) {
    Histogram all = histogram;
    long top = Math.max(max, largest);
    if (all == null || top > all.getHighestTrackableValue()) {
      Histogram wider = new Histogram(1, 2 * Long.highestOneBit(top | SMALLEST) - 1, 2);
      if (all != null) {
        wider.add(all);
      }
      all = wider;
      histogram = wider;
    }
    if (all.getTotalCount() == 0) {
      for (int i = 0; i < count; i++) {
        all.recordValue(few[i]);
      }
    }
    return all;
  }

  long count() {
    return count;
  }

  void reset() {
    if (count > FEW) {
      many(0).reset();
    }
    count = 0;
    sum = 0;
    max = 0;
  }

  /** Sums up; only {@link #reset} may follow. */
  TimeStats stats() {
    if (count == 0) {
      return TimeStats.EMPTY;
    }
    long[] percentiles = count <= FEW ? percentilesOfFew() : percentilesOfMany(many(0));
    return new TimeStats(
        count,
        sum / count,
        percentiles[0],
        percentiles[1],
        percentiles[2],
        percentiles[3],
        percentiles[4],
        max);
  }

  private long rank(double fraction) {
    return (long) Math.ceil(fraction * count);
  }

  private long[] percentilesOfFew() {
    Arrays.sort(few, 0, (int) count);
    long[] percentiles = new long[FRACTIONS.length];
    for (int i = 0; i < FRACTIONS.length; i++) {
      percentiles[i] = few[(int) rank(FRACTIONS[i]) - 1];
    }
    return percentiles;
  }

  /**
   * All percentiles in one pass over the values that occur; the histogram's own accessor makes a
   * pass for each, over all that could.
   */
  private long[] percentilesOfMany(Histogram all) {
    long[] percentiles = new long[FRACTIONS.length];
    long seen = 0;
    long value = all.getMinValue();
    long here = all.getCountAtValue(value);
    for (int i = 0; i < FRACTIONS.length; i++) {
      long wanted = rank(FRACTIONS[i]);
      while (seen + here < wanted) {
        seen += here;
        value = all.nextNonEquivalentValue(value);
        here = all.getCountAtValue(value);
      }
      percentiles[i] = Math.min(max, all.highestEquivalentValue(value));
    }
    return percentiles;
  }
}
