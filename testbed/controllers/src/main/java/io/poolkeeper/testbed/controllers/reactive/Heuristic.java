package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.Reason;
import io.poolkeeper.testbed.controllers.Require;

/**
 * Grows by a stride whenever the mean wait of the last tasks changed (Xu and Bode 2004, as Bahadur
 * and others 2014, section 2.8 describe it).
 *
 * <p><b>Rule.</b> After every five tasks that ended, the mean of their waits is compared with that
 * of the five before. If they differ by more than 1 %, in either direction, the pool grows by 2.
 *
 * <p><b>The variant that explains the print.</b> Read like this it goes on growing, because two
 * means of five waits seldom differ by less than 1 %: in the published experiment it has 18 to 128
 * workers at second 19, depending on the jobs, where the print has 24. The smallest change that
 * gives the print is to drop the modulus: {@link Change#RISE} grows only if the waits <em>rose</em>
 * by more than 1 %, and has 18 to 28. experiments/fbos-golden has both beside the print, and what
 * else was tried.
 *
 * <p><b>Left open, and how it is filled.</b> The first five tasks have nothing to be compared with
 * and are only stored (compared with 0, as a field of Java begins, it has 88 to 112 workers). A
 * mean wait above zero after one of zero is a change of more than any percentage. Dropped tasks do
 * not count. It never shrinks, and has no bound but that of the pool.
 *
 * <p><b>When it fails.</b> As described, always: the size says how many tasks have ended. The
 * variant stays where it is while waits are long and steady, and grows on every second comparison
 * or so where they are noisy.
 */
public final class Heuristic implements EventPolicy {

  /** Change of the mean wait that makes the pool grow. */
  public enum Change {
    /** Either direction, as described. */
    EITHER,
    /** Upwards only, which explains the published figures. */
    RISE
  }

  private final Settings settings;
  private final Reason because = new Reason();
  private int ended;
  private long waits;
  private double previous = Double.NaN;

  /**
   * Its constants.
   *
   * @param initial workers at the start, 1 or more; published: 2
   * @param batch tasks between two comparisons, 1 or more; published: 5
   * @param threshold change that counts, as a fraction of the mean before, above 0; published: 0.01
   * @param stride workers added at once, 1 or more; published: 2
   * @param change which change counts; published: either
   */
  public record Settings(int initial, int batch, double threshold, int stride, Change change) {

    /** As published. */
    public static final Settings PUBLISHED = new Settings(2, 5, 0.01, 2, Change.EITHER);

    /** The variant that explains the published figures. */
    public static final Settings RISING = new Settings(2, 5, 0.01, 2, Change.RISE);

    /**
     * @throws IllegalArgumentException naming the setting that is out of its range
     */
    public Settings {
      Require.atLeast(1, "initial", initial);
      Require.atLeast(1, "batch", batch);
      Require.within(0, Double.MAX_VALUE, "threshold", threshold);
      Require.atLeast(1, "stride", stride);
    }
  }

  /** A policy that has seen nothing. */
  public Heuristic(Settings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return settings.change == Change.EITHER ? "heuristic" : "heuristic-rising";
  }

  @Override
  public int initialSize() {
    return settings.initial;
  }

  @Override
  public int ended(PoolState pool, long wait, long service, Outcome outcome) {
    if (outcome == Outcome.DROPPED) {
      return pool.size();
    }
    waits += wait;
    ended++;
    if (ended < settings.batch) {
      return pool.size();
    }
    double before = previous;
    double mean = (double) waits / ended;
    previous = mean;
    ended = 0;
    waits = 0;
    double difference = settings.change == Change.EITHER ? Math.abs(mean - before) : mean - before;
    if (difference > settings.threshold * before) {
      return because.want(
          pool.size() + settings.stride,
          "mean wait of %.0f tasks was %.1f ms after %.1f ms",
          settings.batch,
          mean / 1e6,
          before / 1e6);
    }
    return pool.size();
  }

  @Override
  public String reason() {
    return because.toString();
  }
}
