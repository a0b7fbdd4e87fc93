package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;

/**
 * Visits to sizes of which little is known. An experiment has to promise something, and a wrong
 * posterior promises nothing: behind a long flat stretch of the curve nobody expects a stair. So a
 * small share of the time goes into visits, most of it while the work is new. They go to the least
 * known size that would be better if the curve were rough. Once each size is known or known to be
 * worse, they end.
 *
 * <p>What is known of larger sizes may be of earlier work, if the level of the reward has moved
 * since then. A look at a larger size tells. It is no evidence where it does only a little more: a
 * pool that shares a database gets more with more workers, and its neighbours less, and each of
 * them would look in turn.
 *
 * <p>A fall of the reward may outlast its cause: many workers keep a stalled disk slow. So the size
 * that was in force before the fall is tried again, the more rarely the oftener it was in vain.
 *
 * @param allowance seconds that may be spent
 * @param roughness probability that the curve is none of the usual shapes; then more is visited
 * @param age seconds for which the work has been the same
 * @param visiting size that is visited, or to which the pool returns; 0 for none
 * @param returning whether it is a return, which takes nothing from the allowance
 * @param seconds since the last return to an earlier size, or since the work changed
 * @param pause least of them before the next return
 * @param former place in the grid of the latest return, -1 if there was none
 * @param rest place and reward before the latest return, or since the pool settled
 * @param looking size from which a larger one is looked at; 0 for none
 */
record Exploration(
    double allowance,
    double roughness,
    double age,
    int visiting,
    boolean returning,
    double seconds,
    double pause,
    int former,
    Rest rest,
    int looking) {

  static final Exploration NONE =
      new Exploration(0, 0, 0, 0, false, 0, Tuning.RETURN_SECONDS, -1, Rest.NONE, 0);

  /**
   * A place where the pool rested, and the reward there, with which later rewards are compared.
   *
   * @param place in the grid, -1 for none
   * @param level logarithm of the reward there
   */
  record Rest(int place, double level) {
    static final Rest NONE = new Rest(-1, 0);
  }

  /** Earns or spends time in a window. */
  Exploration afterWindow(int size, boolean shrinking, double length) {
    boolean away = visiting > 0 && (size == visiting || shrinking);
    double share = Tuning.VISIT_SHARE + roughness * Tuning.ROUGH_VISIT_SHARE;
    share *= 1 + Tuning.NEW_WORK_VISITS * StrictMath.exp(-age / Tuning.VISIT_CALM_SECONDS);
    double earned = Math.min(Tuning.MOST_VISIT_SECONDS, allowance + share * length);
    return new Exploration(
        away && !returning ? earned - length : earned,
        roughness,
        age,
        away ? visiting : 0,
        away && returning,
        seconds + length,
        pause,
        former,
        rest,
        away ? looking : 0);
  }

  /**
   * Takes over what decides how much is visited.
   *
   * @param probability that the curve is none of the usual shapes
   * @param seconds for which the work has been the same
   */
  Exploration of(double probability, double seconds) {
    return new Exploration(
        allowance,
        probability,
        seconds,
        visiting,
        returning,
        this.seconds,
        pause,
        former,
        rest,
        looking);
  }

  /** Begins a visit. */
  Exploration visit(int size) {
    return new Exploration(allowance, roughness, age, size, false, seconds, pause, former, rest, 0);
  }

  /**
   * Returns whether a visit is to be continued: what is known of the size by now leaves it a chance
   * to be better than the best.
   *
   * @param best place of the best size
   */
  boolean continues(CurvePosterior posterior, int size, int best) {
    return visiting == size
        && !returning
        && allowance > 0
        && mayExceed(posterior, SizeGrid.nearest(size), best, Tuning.VISIT_HOLD);
  }

  /** Returns whether a size would be better than another by so many standard deviations. */
  private static boolean mayExceed(
      CurvePosterior posterior, int place, int other, double deviations) {
    CurvePosterior.Level rough = posterior.roughLevel(place);
    double missing = posterior.level(other).mean() + Tuning.VISIT_GAIN - rough.mean();
    return missing < deviations * Math.sqrt(rough.variance());
  }

  /**
   * Begins a return to the size of earlier work.
   *
   * @param from place and reward of the pool now
   */
  Exploration returnTo(int place, Rest from) {
    return excursionTo(place, from, 0);
  }

  /**
   * Begins a look at a larger size.
   *
   * @param from place and reward of the pool now
   * @param size of the pool now
   */
  Exploration lookAt(int place, Rest from, int size) {
    return excursionTo(place, from, size);
  }

  private Exploration excursionTo(int place, Rest from, int looking) {
    return new Exploration(
        allowance, roughness, age, SizeGrid.size(place), true, 0, 2 * pause, place, from, looking);
  }

  /**
   * Returns whether a window of a look tells nothing: it does more than was done before, but far
   * less than in proportion to the workers.
   *
   * @param level logarithm of the reward
   */
  boolean isVague(Observation window, double level) {
    if (looking == 0 || window.size() <= looking) {
      return false;
    }
    double gain = level - rest.level();
    double most = StrictMath.log((double) window.size() / looking);
    return !window.atCapacity() || (gain > 0 && gain < Tuning.LOOK_GAIN * most);
  }

  /** Ends a look whose window tells something. */
  Exploration withoutLook() {
    return looking == 0
        ? this
        : new Exploration(
            allowance, roughness, age, visiting, returning, seconds, pause, former, rest, 0);
  }

  /**
   * Returns whether a look goes on because tasks that began before it may still count.
   *
   * @param length seconds of a window
   */
  boolean looksOn(Observation window, double length) {
    double service = window.serviceSeconds();
    return service > Tuning.LOOK_SHORT_TASK * length && seconds < service + 1.5 * length;
  }

  /** Records the place where the pool settled, unless it is the same place. */
  Exploration settledAt(Rest now) {
    return now.place() == rest.place()
        ? this
        : new Exploration(
            allowance, roughness, age, visiting, returning, seconds, pause, former, now, looking);
  }

  /**
   * Returns whether the reward has moved at the place where the pool rested: other work may do so
   * little by little.
   *
   * @param noise standard deviation of the logarithm of the reward
   */
  boolean hasMoved(Rest now, double noise) {
    return now.place() == rest.place() && Math.abs(now.level() - rest.level()) > movement(noise);
  }

  /**
   * Returns the movement of a level that may be that of other work.
   *
   * @param noise standard deviation of the logarithm of the reward
   */
  static double movement(double noise) {
    return Math.max(Tuning.MOVED_LEVEL, Tuning.MOVED_NOISE * noise);
  }

  /**
   * Returns whether it is time for another return.
   *
   * @param wayDown seconds until the last worker too many is free
   * @param moved whether the reward has moved, so that earlier returns tell nothing
   */
  boolean isReturnDue(double wayDown, boolean moved) {
    return seconds >= Math.max(moved ? Tuning.RETURN_SECONDS : pause, wayDown);
  }

  /**
   * Returns the least known place of the grid that may be better than the one in force, or -1 if
   * there is none, or if there is no time for a visit.
   *
   * @param places candidates, in their order
   * @param first the smallest of them to consider
   * @param last the largest
   * @param here place in force; places to which the way down takes too long are left out
   */
  int next(
      CurvePosterior posterior, Knowledge knowledge, int[] places, int first, int last, int here) {
    if (allowance < Tuning.VISIT_SECONDS || knowledge.evidence().isEmpty()) {
      return -1;
    }
    int end = Math.min(last, knowledge.firstBeyond(Tuning.HOPELESS, Tuning.HOPELESS_CERTAINTY));
    int found = -1;
    double most = Tuning.VISIT_UNCERTAINTY * Tuning.VISIT_UNCERTAINTY;
    for (int place : places) {
      double variance = posterior.roughLevel(place).variance();
      if (place >= first
          && place <= end
          && place != here
          && variance > most
          && posterior.drainSeconds(here, place) < allowance
          && mayExceed(posterior, place, here, Tuning.VISIT_REACH)) {
        most = variance;
        found = place;
      }
    }
    return found;
  }
}
