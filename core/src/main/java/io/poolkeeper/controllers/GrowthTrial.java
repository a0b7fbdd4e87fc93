package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;

/**
 * The latest growth for waiting tasks, and a bar on sizes at which growth was in vain. A source of
 * tasks may slow down as the pool grows: an event loop, or clients that share the processors with
 * the workers. Then no task waits at the larger size, and yet fewer end than at the smaller one.
 * Such a window is evidence about the few workers that are busy in it, and none about the size, so
 * the curve would recommend the size again and again. So sizes near it are barred for a while,
 * twice as long each time.
 *
 * @param from size before the growth, 0 if none is under way
 * @param level logarithm of the reward expected there
 * @param waiting tasks that waited there
 * @param barred smallest size that is barred; infinite for none
 * @param left seconds for which it is
 * @param pause seconds for which the next is
 */
record GrowthTrial(
    int from, double level, double waiting, double barred, double left, double pause) {

  static final GrowthTrial NONE =
      new GrowthTrial(0, 0, 0, Double.POSITIVE_INFINITY, 0, Tuning.VAIN_GROWTH_SECONDS);

  /** Lets a window pass. Far more waiting tasks than before the growth lift the bar. */
  GrowthTrial afterWindow(Observation window) {
    boolean demanded = window.waiting() > Tuning.MORE_WAITING * (waiting + window.size());
    if (demanded && window.sizeLimited() && isBarring()) {
      return NONE;
    }
    int under = window.size() > from ? from : 0;
    double later = Math.max(0, left - window.seconds());
    return new GrowthTrial(under, level, waiting, barred, later, pause);
  }

  /**
   * Begins a growth, unless so few tasks wait that they may do so by chance.
   *
   * @param expected logarithm of the reward that is expected at the size in force
   */
  GrowthTrial begun(Observation window, double expected) {
    boolean chance = !window.starved() && 2 * window.waiting() <= window.size();
    int under = chance ? 0 : window.size();
    return new GrowthTrial(under, expected, window.waiting(), barred, left, pause);
  }

  /**
   * Returns whether the growth was in vain: no task waits any more, most workers idle, and less is
   * done beyond the noise. Tasks that just became rare look the same, so the first bar is short.
   *
   * @param variance of a window's reward
   */
  boolean isVain(Observation window, double variance) {
    double fall = Math.max(Tuning.VAIN_FALL, 2 * Math.sqrt(variance));
    return from > 0
        && window.size() > from
        && window.busy() < window.size() / 2.0
        && !window.atCapacity()
        && StrictMath.log(window.rate()) < level - fall;
  }

  /**
   * Ends a growth that was in vain.
   *
   * @param size the larger size; the next growth goes half of the way, on a logarithmic scale
   */
  GrowthTrial barring(int size) {
    double middle = Math.max(from + 1, Math.sqrt((double) from * size));
    double longer = Math.min(Tuning.LONGEST_VAIN_GROWTH_SECONDS, 2 * pause);
    return new GrowthTrial(
        0, level, waiting, Math.min(barred, middle), /* left= */ pause, /* pause= */ longer);
  }

  /** Ends a growth that was not in vain. A barred size at which tasks wait moves the bar. */
  GrowthTrial ended(Observation window) {
    boolean paid = window.sizeLimited() && window.size() >= barred;
    return new GrowthTrial(
        0,
        level,
        waiting,
        paid ? 2.0 * window.size() : barred,
        left,
        paid ? Math.max(Tuning.VAIN_GROWTH_SECONDS, pause / 2) : pause);
  }

  /** Returns whether larger sizes are barred. */
  boolean isBarring() {
    return barred < Double.POSITIVE_INFINITY;
  }

  /** Returns the largest size to try: once its time is over, the barred one. */
  double ceiling() {
    return left > 0 ? Math.ceil(barred) - 1 : Math.ceil(barred);
  }
}
