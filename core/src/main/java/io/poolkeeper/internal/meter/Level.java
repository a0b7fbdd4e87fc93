package io.poolkeeper.internal.meter;

/**
 * Time-weighted mean and maximum of a level from its samples, with linear interpolation. Not
 * thread-safe.
 */
public final class Level {

  private long windowStart;
  private long sampledAt;
  private int last;
  private int max;
  private double area;
  private long samples;

  Level(long now) {
    windowStart = now;
    sampledAt = now;
  }

  public void sample(long now, int level) {
    // Samples of several threads may arrive slightly out of order.
    long elapsed = Math.max(0, now - sampledAt);
    area += elapsed * 0.5 * ((double) last + level);
    sampledAt += elapsed;
    last = level;
    max = Math.max(max, level);
    samples++;
  }

  /** Ends the window with a last sample, which is the first of the next window. */
  Summary close(long now, int level) {
    sample(now, level);
    long length = now - windowStart;
    Summary summary = new Summary(length > 0 ? area / length : level, max, samples);
    windowStart = now;
    sampledAt = now;
    max = level;
    area = 0;
    samples = 0;
    return summary;
  }

  /**
   * Summary of a level over a window.
   *
   * @param mean time-weighted
   * @param max largest sample
   * @param samples number of samples, the last one included
   */
  public record Summary(double mean, int max, long samples) {

    static final Summary NONE = new Summary(0, 0, 0);

    /** Combines the summaries of two stripes, weighted by their numbers of samples. */
    Summary and(Summary other) {
      long all = samples + other.samples;
      return all == 0
          ? NONE
          : new Summary(
              (mean * samples + other.mean * other.samples) / all, Math.max(max, other.max), all);
    }
  }
}
