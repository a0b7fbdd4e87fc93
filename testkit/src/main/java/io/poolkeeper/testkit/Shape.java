package io.poolkeeper.testkit;

import java.util.function.IntToDoubleFunction;

/**
 * Shapes that work has: how many tasks a second a number of busy workers completes. Their best
 * sizes lie between 2 and 128.
 */
public enum Shape implements IntToDoubleFunction {

  /** Computation on two processors. */
  CPU(limited(100, 2)),
  /** A database with contention: a flat top, at its best with 35. */
  DATABASE(VirtualPool.scalability(25, 0.03, 0.0008)),
  /** A downstream limit of twelve. */
  PLATEAU(limited(25, 12)),
  /** Ruin beyond 16 workers. */
  COLLAPSE(VirtualPool.scalability(40, 0.02, 0.004)),
  /** Slow calls, at their best with 100. */
  WIDE(VirtualPool.scalability(8, 0.005, 0.0001)),
  /** A limit of 128, far from where a size begins. */
  FAR(limited(5, 128));

  /** Share of the best that counts as good as the best. */
  private static final double ENOUGH = 0.97;

  @SuppressWarnings("ImmutableEnumChecker") // A formula of its argument.
  private final IntToDoubleFunction curve;

  Shape(IntToDoubleFunction curve) {
    this.curve = curve;
  }

  /** {@code each} tasks a second of every worker, up to {@code workers} of them. */
  public static IntToDoubleFunction limited(double each, int workers) {
    return n -> each * Math.min(n, workers);
  }

  @Override
  public double applyAsDouble(int workers) {
    return curve.applyAsDouble(workers);
  }

  /** The smallest of the best sizes that this many users, who never rest, can keep busy. */
  public static int best(IntToDoubleFunction curve, int users) {
    int best = 1;
    for (int n = 2; n <= users; n++) {
      if (curve.applyAsDouble(n) > curve.applyAsDouble(best)) {
        best = n;
      }
    }
    return best;
  }

  /** The smallest size that is within 3 % of the best. */
  public static int enough(IntToDoubleFunction curve, int users) {
    double good = ENOUGH * curve.applyAsDouble(best(curve, users));
    int enough = 1;
    while (curve.applyAsDouble(enough) < good) {
      enough++;
    }
    return enough;
  }
}
