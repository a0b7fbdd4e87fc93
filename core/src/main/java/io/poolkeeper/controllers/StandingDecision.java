package io.poolkeeper.controllers;

import io.poolkeeper.Decision;
import io.poolkeeper.controllers.curves.Tuning;
import org.jspecify.annotations.Nullable;

/**
 * A decision that stands while windows are as expected. At a familiar size a further window changes
 * the posterior by next to nothing. So the posterior is worked out anew only after a share of the
 * windows so far, or at the first surprise.
 *
 * @param decision the decision, null for none
 * @param basis knowledge from which the posterior was worked out
 * @param shift movement of the level of all sizes since
 * @param windowsLeft windows for which it may stand
 */
record StandingDecision(
    @Nullable Decision decision, Knowledge basis, double shift, int windowsLeft) {

  static final StandingDecision NONE = new StandingDecision(null, Knowledge.NONE, 0, 0);

  /** Returns a decision to stay that stands for a share of the windows at the size. */
  static StandingDecision of(Decision decision, Knowledge basis, double windows) {
    int left = (int) Math.min(Tuning.STANDING_WINDOWS, Tuning.STANDING_SHARE * windows);
    return left < 1 ? NONE : new StandingDecision(decision, basis, 0, left);
  }

  /** Returns whether there is a decision. */
  boolean stands() {
    return decision != null;
  }

  /**
   * Returns the decision after another window, {@link #NONE} if the posterior must be worked out.
   *
   * @param deviation standard deviations of the window from the expectation
   * @param moved movement of the level of all sizes in the window
   */
  StandingDecision afterWindow(int size, double deviation, double moved) {
    double total = shift + moved;
    boolean stands =
        decision != null
            && decision.size() == size
            && windowsLeft > 0
            && Math.abs(deviation) < Tuning.STANDING_DEVIATION
            && Math.abs(total) < Tuning.STANDING_SHIFT;
    return stands ? new StandingDecision(decision, basis, total, windowsLeft - 1) : NONE;
  }
}
