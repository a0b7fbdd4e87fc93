package io.poolkeeper.spi;

import io.poolkeeper.TimeStats;
import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * A distribution of durations. The first {@value #FEW} values are stored as they are: they suffice
 * for a quiet pool, their percentiles are exact, and sorting them costs less than clearing and
 * walking counts. Further values are counted, in {@value #STEPS} steps of equal width for each
 * octave, which are the cells of an HdrHistogram of two significant digits. Sum and maximum stay
 * exact. An octave takes 1 KB once a value falls into it; without memory for that, recording throws
 * and leaves the distribution unchanged. Not thread-safe.
 */
final class Durations {

  /** A day. A longer duration counts as one. */
  private static final long LONGEST = 86_400_000_000_000L;

  private static final int FEW = 256;

  private static final double[] FRACTIONS = {0.5, 0.9, 0.95, 0.99, 0.999};

  private static final int STEPS = 128;
  private static final int LOG_STEPS = 7;

  /** Fractions of the percentiles to compute, in order. */
  private final double[] fractions;

  private final long[] few = new long[FEW];

  /** Counts by octave and step, of all or of none. The first octave holds all values below 128. */
  private final long[] @Nullable [] counts = new long[octave(LONGEST) + 1][];

  private boolean counting;
  private long count;
  private double sum;
  private long max;

  /**
   * @param further fraction of a further percentile, NaN for none
   */
  Durations(double further) {
    fractions =
        Double.isNaN(further)
            ? FRACTIONS
            : DoubleStream.concat(DoubleStream.of(FRACTIONS), DoubleStream.of(further))
                .sorted()
                .toArray();
  }

  void record(long nanos) {
    // A clock that is not quite monotonic between two cores must not throw into a user's task.
    long value = Math.max(0, Math.min(LONGEST, nanos));
    keep(value, 1);
    sum += value;
    if (value > max) {
      max = value;
    }
  }

  void recordZeros(long times) {
    keep(0, times);
  }

  private void keep(long value, long times) {
    if (count + times <= FEW) {
      Arrays.fill(few, (int) count, (int) (count + times), value);
    } else {
      count(value, times);
    }
    count += times;
  }

  private void count(long value, long times) {
    int octave = octave(value);
    long[] steps = steps(octave);
    if (!counting) {
      countFew();
    }
    steps[step(value, octave)] += times;
  }

  /** Counts the stored values; first takes the memory for all of them. */
  private void countFew() {
    for (int i = 0; i < count; i++) {
      steps(octave(few[i]));
    }
    for (int i = 0; i < count; i++) {
      int octave = octave(few[i]);
      steps(octave)[step(few[i], octave)]++;
    }
    counting = true;
  }

  private long[] steps(int octave) {
    long[] steps = counts[octave];
    if (steps == null) {
      steps = new long[STEPS];
      counts[octave] = steps;
    }
    return steps;
  }

  private static int octave(long value) {
    return Math.max(0, Long.SIZE - LOG_STEPS - Long.numberOfLeadingZeros(value));
  }

  private static int step(long value, int octave) {
    return (int) (value >>> shift(octave)) & (STEPS - 1);
  }

  private static int shift(int octave) {
    return Math.max(0, octave - 1);
  }

  /** Returns the highest value that is counted in a step of an octave. */
  private static long highest(int octave, int step) {
    long lowest = (octave == 0 ? step : STEPS + step) + 1L;
    return (lowest << shift(octave)) - 1;
  }

  void add(Durations other) {
    if (other.counting) {
      if (!counting) {
        countFew();
      }
      for (int octave = 0; octave < counts.length; octave++) {
        addOctave(octave, other.counts[octave]);
      }
      count += other.count;
    } else {
      for (int i = 0; i < other.count; i++) {
        keep(other.few[i], 1);
      }
    }
    sum += other.sum;
    max = Math.max(max, other.max);
  }

  private void addOctave(int octave, long @Nullable [] more) {
    if (more != null) {
      long[] steps = steps(octave);
      for (int i = 0; i < STEPS; i++) {
        steps[i] += more[i];
      }
    }
  }

  long count() {
    return count;
  }

  void reset() {
    if (counting) {
      for (long[] steps : counts) {
        if (steps != null) {
          Arrays.fill(steps, 0);
        }
      }
    }
    counting = false;
    count = 0;
    sum = 0;
    max = 0;
  }

  /** Computes the statistics; only {@link #reset} may follow. */
  TimeStats stats() {
    if (count == 0) {
      return TimeStats.EMPTY;
    }
    long[] percentiles = counting ? percentilesOfMany() : percentilesOfFew();
    long[] usual = new long[FRACTIONS.length];
    TimeStats.Percentile further = null;
    for (int i = 0; i < percentiles.length; i++) {
      int place = Arrays.binarySearch(FRACTIONS, fractions[i]);
      if (place >= 0) {
        usual[place] = percentiles[i];
      } else {
        further = new TimeStats.Percentile(fractions[i], percentiles[i]);
      }
    }
    return new TimeStats(
        count, sum / count, usual[0], usual[1], usual[2], usual[3], usual[4], max, further);
  }

  private long rank(double fraction) {
    return (long) Math.ceil(fraction * count);
  }

  private long[] percentilesOfFew() {
    Arrays.sort(few, 0, (int) count);
    long[] percentiles = new long[fractions.length];
    for (int i = 0; i < fractions.length; i++) {
      percentiles[i] = few[(int) rank(fractions[i]) - 1];
    }
    return percentiles;
  }

  private long[] percentilesOfMany() {
    long[] percentiles = new long[fractions.length];
    int found = 0;
    long seen = 0;
    for (int octave = 0; octave < counts.length; octave++) {
      long[] steps = counts[octave];
      for (int step = 0; steps != null && step < STEPS; step++) {
        seen += steps[step];
        while (found < fractions.length && seen >= rank(fractions[found])) {
          percentiles[found] = Math.min(max, highest(octave, step));
          found++;
        }
      }
    }
    return percentiles;
  }
}
