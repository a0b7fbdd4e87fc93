package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells change from noise. The last windows are held against what was expected of them: if those
 * since some moment lie off by more than chance allows, and the latest agree, the work has changed
 * at that moment (a likelihood ratio test over the moment of change, Page 1954). A fall may be a
 * stall that passes, so it must last longer to count. Kinds of work that went are remembered, and
 * recognised when they come back.
 *
 * @param recent the latest windows that were expected to be something, oldest first
 * @param past kinds of work before, the latest first
 * @param unrest number of changes lately, fading: where they are frequent, noise is the likelier
 *     cause, and more is asked of the next one
 */
public record Watch(List<Sight> recent, List<Epoch> past, double unrest) {

  /**
   * A window as it was seen.
   *
   * @param index place in the grid of its size
   * @param level logarithm of its reward
   * @param weight how much it counts as evidence
   * @param seconds its length
   * @param off how far above what was expected, in standard deviations
   * @param familiar whether its size had been in force before
   * @param cost of its tasks
   */
  public record Sight(
      int index,
      double level,
      double weight,
      double seconds,
      double off,
      boolean familiar,
      Cost cost) {}

  /**
   * What was known of a kind of work when it went.
   *
   * @param knowledge of its curve
   * @param at when it went, seconds
   */
  public record Epoch(Knowledge knowledge, double at) {}

  /** What a window is taken for. */
  enum Verdict {
    EXPECTED,
    SUSPECT,
    CHANGED
  }

  static final Watch INITIAL = new Watch(List.of(), List.of(), 0);

  /** How many windows are held against what was expected. */
  private static final int LENGTH = 10;

  /** Standard deviations from which a single window is suspected. */
  private static final double FAR = 3.3;

  /** Of one window, so that no single one decides. */
  private static final double CLIP = 6;

  /** Square of the standard deviations by which a run of windows must be off. */
  private static final double CHANCE = 16;

  /** How much the variance of a mean shrinks less with each window, since neighbours are alike. */
  private static final double ALIKE = 0.15;

  /** The latest windows of a run must be off by this fraction of its mean, or it has passed. */
  private static final double AGREEMENT = 0.4;

  /** A fall must last so long, seconds, to be a change. */
  private static final double PATIENCE = 1.6;

  /** A run that lasts so long, seconds, is a change, wherever it was seen. */
  private static final double LONGEST_DOUBT = 4;

  private static final int REMEMBERED = 8;

  /** The first window of a run holds some of the work before it, so it counts by this fraction. */
  private static final double MIXED = 0.05;

  /** Changes count as recent for so many seconds. */
  private static final double UNREST_SECONDS = 30;

  /** A recent change raises what is asked of the next one by this fraction. */
  private static final double UNREST = 1;

  private static final double MOST_UNREST = 5;

  /** Share of evidence that must not be ruled out by its costs. */
  static final double HALF = 0.5;

  /** Knowledge of fewer windows is not worth remembering. */
  private static final double WORTH_REMEMBERING = 4;

  /** Work is recognised within so many standard deviations. */
  private static final double NEAR = 2;

  /** Knowledge less certain than this, as a variance, recognises nothing. */
  private static final double VAGUE = 0.06;

  /** Constructor of the record; copies the lists. */
  public Watch {
    recent = List.copyOf(recent);
    past = List.copyOf(past);
  }

  /**
   * Surprises at sizes that had not been in force before, which the next window shows to be the
   * sizes' own: it is as expected where it is known what to expect.
   */
  List<Sight> explained(Sight next) {
    if (!next.familiar() || Math.abs(next.off()) > FAR) {
      return List.of();
    }
    return recent.stream()
        .filter(one -> !one.familiar() && Math.abs(one.off()) > FAR)
        .filter(one -> !agrees(next, clipped(one)))
        .toList();
  }

  /** After another window. */
  Watch with(Sight sight) {
    List<Sight> kept = new ArrayList<>(recent);
    if (Math.abs(sight.off()) <= FAR) {
      // Windows that were far off, and with which this one does not agree, were a stall.
      kept.removeIf(one -> Math.abs(one.off()) > FAR && !agrees(sight, clipped(one)));
    }
    kept.add(sight);
    double calmer = unrest * StrictMath.exp(-sight.seconds() / UNREST_SECONDS);
    return new Watch(kept.subList(Math.max(0, kept.size() - LENGTH), kept.size()), past, calmer);
  }

  private static double clipped(Sight sight) {
    return Math.max(-CLIP, Math.min(CLIP, sight.off()));
  }

  private static boolean agrees(Sight sight, double off) {
    return Math.signum(sight.off()) == Math.signum(off)
        && Math.abs(sight.off()) >= AGREEMENT * Math.abs(off);
  }

  /** The windows since the moment at which a change is most likely; empty if none is. */
  private List<Sight> run() {
    double most = CHANCE * (1 + UNREST * Math.min(MOST_UNREST, unrest));
    int length = 0;
    double sum = 0;
    for (int j = 1; j <= recent.size(); j++) {
      sum += clipped(recent.get(recent.size() - j));
      double off = sum * sum / (j * (1 + ALIKE * (j - 1)));
      if (off > most && latestAgree(j, sum / j)) {
        most = off;
        length = j;
      }
    }
    return recent.subList(recent.size() - length, recent.size());
  }

  private boolean latestAgree(int length, double mean) {
    for (int j = 1; j <= Math.min(2, length); j++) {
      if (!agrees(recent.get(recent.size() - j), mean)) {
        return false;
      }
    }
    return true;
  }

  Verdict verdict() {
    List<Sight> run = run();
    if (run.isEmpty()) {
      boolean far = Math.abs(recent.get(recent.size() - 1).off()) > FAR;
      return far ? Verdict.SUSPECT : Verdict.EXPECTED;
    }
    boolean above = run.get(run.size() - 1).off() > 0;
    double seconds = 0;
    for (Sight sight : run) {
      seconds += sight.seconds();
    }
    long familiar = run.stream().filter(Sight::familiar).count();
    boolean lasts = (familiar > 1 && (above || seconds >= PATIENCE)) || seconds >= LONGEST_DOUBT;
    return lasts ? Verdict.CHANGED : Verdict.SUSPECT;
  }

  /**
   * What to go on with after a change.
   *
   * @param watch begun anew
   * @param knowledge that of an earlier kind of work if it fits, or what the windows since the
   *     change say
   * @param since seconds since that kind of work went, NaN if none fits
   * @param fell whether the reward fell to half or less
   */
  record Restart(Watch watch, Knowledge knowledge, double since, boolean fell) {}

  /**
   * The work has changed.
   *
   * @param before what was known of it
   * @param now seconds
   */
  Restart changed(Knowledge before, double now) {
    List<Sight> run = run();
    if (run.isEmpty()) {
      // Something else than the reward has told; the window before the last is mixed.
      run = recent.subList(Math.max(0, recent.size() - 2), recent.size());
    }
    List<Epoch> kept = new ArrayList<>(past);
    Sight latestSight = run.get(run.size() - 1);
    boolean fell =
        latestSight.level()
            < new CurvePosterior(before).level(latestSight.index()).mean() - StrictMath.log(2);
    Knowledge known = Knowledge.NONE;
    double since = Double.NaN;
    for (Epoch epoch : past) {
      if (costsFit(epoch.knowledge(), run) && fits(new CurvePosterior(epoch.knowledge()), run)) {
        known = epoch.knowledge();
        since = now - epoch.at();
        kept.remove(epoch);
        break;
      }
    }
    for (int i = 0; i < run.size(); i++) {
      Sight sight = run.get(i);
      double share = i == 0 && run.size() > 1 ? MIXED : 1;
      known =
          known.with(
              sight.index(), share * sight.weight(), sight.level(), sight.cost(), sight.index());
    }
    return new Restart(new Watch(List.of(), kept, unrest).putAway(before, now), known, since, fell);
  }

  /** The same with knowledge of a kind of work put away, and nothing known of the present one. */
  Watch putAway(Knowledge before, double now) {
    List<Epoch> kept = new ArrayList<>(past);
    if (before.weight() > WORTH_REMEMBERING) {
      kept.add(0, new Epoch(before, now));
    }
    List<Epoch> latest = kept.subList(0, Math.min(REMEMBERED, kept.size()));
    return new Watch(List.of(), latest, unrest + 1);
  }

  private static boolean costsFit(Knowledge knowledge, List<Sight> run) {
    Sight latest = run.get(run.size() - 1);
    return knowledge.ruledOut(latest.cost().own(), latest.index(), Cost::own) <= HALF
        && knowledge.ruledOut(latest.cost().process(), latest.index(), Cost::process) <= HALF;
  }

  private static boolean fits(CurvePosterior belief, List<Sight> run) {
    double off = 0;
    for (Sight sight : run) {
      CurvePosterior.Level expected = belief.level(sight.index());
      if (expected.variance() > VAGUE) {
        return false;
      }
      // What a window says less than a full one, it varies more.
      double noise = Noise.USUAL / Math.max(0.01, sight.weight());
      off += (sight.level() - expected.mean()) / Math.sqrt(expected.variance() + noise);
    }
    return Math.abs(off) < NEAR * Math.sqrt(run.size());
  }
}
