package io.tidepool.controllers;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells noise from change: a window far from what was expected is suspected, and only when it does
 * not stay alone the work has changed; small differences of one sign add up to a drift. Kinds of
 * work that went are remembered, and recognised when they come back.
 *
 * @param suspects how many windows in a row were suspected
 * @param seconds their length
 * @param above whether they were above what was expected
 * @param sum sum of small differences in standard deviations, pulled towards 0
 * @param past kinds of work before, the latest first
 */
public record Watch(int suspects, double seconds, boolean above, double sum, List<Epoch> past) {

  /**
   * What was known of a kind of work when it went.
   *
   * @param knowledge of its curve
   * @param at when it went, seconds
   */
  record Epoch(Knowledge knowledge, double at) {}

  /** What a window is taken for. */
  enum Verdict {
    EXPECTED,
    SUSPECT,
    CHANGED,
    DRIFTED
  }

  static final Watch INITIAL = new Watch(0, 0, false, 0, List.of());

  /** Standard deviations from which a window is suspected. */
  private static final double FAR = 3.3;

  /** A drop may be a stall that passes, so it must last so long, seconds, to be a change. */
  private static final double PATIENCE = 2.6;

  /** How small differences add up: what is taken off each, their bounds, and when it is a drift. */
  private static final double SLACK = 0.6;

  private static final double CLIP = 2.5;
  private static final double DRIFT = 7;

  private static final int REMEMBERED = 4;

  /** Knowledge of fewer windows is not worth remembering. */
  private static final double WORTH_REMEMBERING = 4;

  /** A level is recognised within so many standard deviations. */
  private static final double NEAR = 1.5;

  /** Knowledge less certain than this, as a variance, recognises nothing. */
  private static final double VAGUE = 0.03;

  public Watch {
    past = List.copyOf(past);
  }

  /** After a window that is {@code off} standard deviations above what was expected. */
  Watch with(double off, double length) {
    if (Math.abs(off) > FAR) {
      boolean same = suspects > 0 && above == off > 0;
      return same
          ? new Watch(suspects + 1, seconds + length, above, sum, past)
          : new Watch(1, length, off > 0, sum, past);
    }
    return new Watch(0, 0, false, added(Math.max(-CLIP, Math.min(CLIP, off))), past);
  }

  private double added(double off) {
    double moved = sum + off;
    return Math.signum(moved) * Math.max(0, Math.abs(moved) - SLACK);
  }

  Verdict verdict() {
    if (suspects > 0) {
      return suspects < 2 || (!above && seconds < PATIENCE) ? Verdict.SUSPECT : Verdict.CHANGED;
    }
    return Math.abs(sum) > DRIFT ? Verdict.DRIFTED : Verdict.EXPECTED;
  }

  /** Begins to watch anew. */
  Watch settled() {
    return new Watch(0, 0, false, 0, past);
  }

  /**
   * What to go on with after a change.
   *
   * @param watch begun anew
   * @param knowledge that of an earlier kind of work if the level fits, or none
   * @param since how many seconds ago that kind of work went, NaN if none fits
   */
  record Restart(Watch watch, Knowledge knowledge, double since) {}

  /**
   * The work has changed.
   *
   * @param before what was known of it
   * @param index place in the grid of the size of the window that showed it
   * @param level logarithm of the reward in that window
   * @param variance of that logarithm
   */
  Restart changed(Knowledge before, int index, double level, double variance, double now) {
    List<Epoch> kept = new ArrayList<>(past);
    Knowledge known = Knowledge.NONE;
    double since = Double.NaN;
    for (Epoch epoch : past) {
      double away = now - epoch.at();
      Knowledge aged = epoch.knowledge().discounted(1, away);
      CurveBelief.Level then = new CurveBelief(aged, variance, now).level(index);
      double reach = NEAR * Math.sqrt(then.variance() + variance);
      if (then.variance() < VAGUE && Math.abs(level - then.mean()) < reach) {
        known = aged.discounted(0.5, 0);
        since = away;
        kept.remove(epoch);
        break;
      }
    }
    if (before.weight() > WORTH_REMEMBERING) {
      kept.add(0, new Epoch(before, now));
    }
    List<Epoch> latest = kept.subList(0, Math.min(REMEMBERED, kept.size()));
    return new Restart(new Watch(0, 0, false, 0, latest), known, since);
  }
}
