package io.tidepool.testkit;

import io.tidepool.Bounds;
import io.tidepool.Controller;
import io.tidepool.Decision;
import io.tidepool.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;

/**
 * Drives a controller over a {@link VirtualPool} whose rate is noisy, window by window, and keeps
 * the score. Windows are half a second long, noise is 8 % of one and a third of it stays in the
 * next; the score counts what the sizes are worth without noise.
 */
final class Course {

  private static final Bounds BOUNDS = new Bounds(1, 256);
  private static final long WINDOW = 500_000_000L;
  private static final double NOISE = 0.08;
  private static final double REMAINS = 0.3;

  private final Controller controller;
  private final SplittableRandom random;
  private final List<Decision> decisions = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private int size = 1;
  private double wander;
  private long now;
  private double reached;
  private double possible;

  Course(Controller controller, long seed) {
    this.controller = controller;
    this.random = new SplittableRandom(seed);
  }

  /** Begins the score anew. */
  Course fromNow() {
    reached = 0;
    possible = 0;
    sizes.clear();
    return this;
  }

  /** Goes on for {@code seconds} with users who never rest and work of this curve. */
  Course run(double seconds, int users, IntToDoubleFunction curve) {
    return run(seconds, users, curve, 1);
  }

  /**
   * Goes on for {@code seconds}.
   *
   * @param rate what the curve is multiplied by, as in a stall; the score does not know
   */
  Course run(double seconds, int users, IntToDoubleFunction curve, double rate) {
    double best = 0;
    for (int n = 1; n <= users; n++) {
      best = Math.max(best, curve.applyAsDouble(n));
    }
    for (int i = 0; i < seconds * 2; i++) {
      double innovation = NOISE * Math.sqrt(1 - REMAINS * REMAINS) * gaussian();
      wander = REMAINS * wander + innovation;
      double factor = rate * Math.max(0.1, 1 + wander);
      VirtualPool pool =
          new VirtualPool("course", BOUNDS, size, n -> factor * curve.applyAsDouble(n));
      pool.users(users);
      pool.closeWindow(now);
      now += WINDOW;
      Window window = pool.closeWindow(now);
      sizes.add(size);
      reached += users == 0 ? 0 : curve.applyAsDouble(Math.min(users, size));
      possible += best;
      Decision decision = controller.decide(window);
      decisions.add(decision);
      size = BOUNDS.clamp(decision.size());
    }
    return this;
  }

  /** Box and Muller, of a generator that is the same in every version of Java. */
  private double gaussian() {
    return Math.sqrt(-2 * Math.log(1 - random.nextDouble()))
        * Math.cos(2 * Math.PI * random.nextDouble());
  }

  /** Work done as a fraction of what the best sizes would have done. */
  double score() {
    return reached / possible;
  }

  /** Mean size. */
  double meanSize() {
    return sizes.stream().mapToInt(Integer::intValue).average().orElseThrow();
  }

  int size() {
    return size;
  }

  /** The sizes in force, one a window. */
  List<Integer> sizes() {
    return List.copyOf(sizes);
  }

  Decision lastDecision() {
    return decisions.get(decisions.size() - 1);
  }

  List<Decision> decisions() {
    return List.copyOf(decisions);
  }
}
