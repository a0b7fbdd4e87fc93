package io.poolkeeper.controllers;

import io.poolkeeper.Decision;
import org.jspecify.annotations.Nullable;

/**
 * A decision that stands while windows say what was expected. One more window at a size that was in
 * force for long changes the belief by next to nothing, so the belief is worked out anew only after
 * a share of the windows seen so far, or at the first surprise.
 *
 * @param decision that stands, null for none
 * @param judged knowledge from which the belief was worked out
 * @param moved by which the level of all sizes has moved since
 * @param left windows for which it may stand
 */
public record Settled(@Nullable Decision decision, Knowledge judged, double moved, int left) {

  static final Settled NONE = new Settled(null, Knowledge.NONE, 0, 0);

  /** Most windows between two looks at the belief. */
  private static final double LONGEST = 16;

  /** A look after so many windows more, as a share of those seen. */
  private static final double SHARE = 0.125;

  /** Movement of the level from which the belief is worked out anew. */
  private static final double FAR = 0.02;

  /** Surprises from so many standard deviations on are looked into. */
  private static final double SURPRISE = 1.5;

  /** After a decision to stay, with so many windows seen at the size. */
  static Settled after(Decision decision, Knowledge judged, double windows) {
    int left = (int) Math.min(LONGEST, SHARE * windows);
    return left < 1 ? NONE : new Settled(decision, judged, 0, left);
  }

  /** After another window, or {@link #NONE} where the belief has to be worked out anew. */
  Settled next(int size, double off, double movedNow) {
    double all = moved + movedNow;
    boolean stands =
        decision != null
            && decision.size() == size
            && left > 0
            && Math.abs(off) < SURPRISE
            && Math.abs(all) < FAR;
    return stands ? new Settled(decision, judged, all, left - 1) : NONE;
  }
}
