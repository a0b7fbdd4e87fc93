package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;

/**
 * Warm-up of the work behind a limit that rejects. After a cold start each window does more than
 * the one before, whatever the size. A limit under overload may try a size in every window, so each
 * new size would seem better than the last one, and the first sizes the worst. So at first, and
 * later while the level rises, each size gets two windows: their difference is the warm-up. It is
 * expected to go on in the window after a resize.
 *
 * @param knowledge of the work so far
 * @param noise of the windows before
 */
record WarmUp(Knowledge knowledge, Noise noise) {

  /**
   * Returns the knowledge at the level of a window after a resize. How far the level has risen is
   * as uncertain as it is large.
   */
  Knowledge knowledgeNow() {
    double rise = Tuning.WARM_UP_GOES_ON * noise.rise();
    return over() || rise <= 0 ? knowledge : knowledge.shifted(rise).doubted(rise);
  }

  /**
   * Returns whether another window at the size must show how fast the level rises.
   *
   * @param now noise of the windows, the last one included
   */
  boolean needsAnotherWindow(Noise now) {
    boolean rising =
        noise.rise() > Tuning.WARM_UP_RISE || knowledge.seconds() < Tuning.COLD_SECONDS;
    return !over() && rising && now.levels().size() == 1;
  }

  private boolean over() {
    return knowledge.seconds() > Tuning.WARM_UP_SECONDS;
  }
}
