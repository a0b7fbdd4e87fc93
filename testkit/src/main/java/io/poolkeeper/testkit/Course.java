package io.poolkeeper.testkit;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;

/**
 * Drives a controller over a {@link VirtualPool} whose rate is noisy, window by window, and keeps
 * the score. Windows are half a second long, and a third of a window's noise stays in the next; the
 * score counts what the sizes are worth without noise. The size begins at 1 and may go up to 256.
 */
public final class Course {

  /** Standard deviation of a window's rate, as a fraction, where nothing else is said. */
  public static final double NOISE = 0.08;

  private static final Bounds BOUNDS = new Bounds(1, 256);
  private static final long WINDOW = 500_000_000L;
  private static final double REMAINS = 0.3;

  private final Controller controller;
  private final SplittableRandom random;
  private final double noise;
  private final List<Decision> decisions = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private int size = 1;
  private int inForce = 1;
  private int growth = Integer.MAX_VALUE;
  private double wander;
  private long now;
  private double reached;
  private double possible;

  /** With a noise of 8 %. */
  public Course(Controller controller, long seed) {
    this(controller, seed, NOISE);
  }

  /**
   * @param noise standard deviation of a window's rate, as a fraction from 0 to below 1
   */
  public Course(Controller controller, long seed, double noise) {
    if (!(noise >= 0 && noise < 1)) {
      throw new IllegalArgumentException("noise must be >= 0 and < 1, but is " + noise);
    }
    this.controller = controller;
    this.random = new SplittableRandom(seed);
    this.noise = noise;
  }

  /**
   * Lets the pool grow slowly from now on, as one of connections that are opened one by one.
   *
   * @param most by how many a window, 1 or more
   */
  public Course growing(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("most must be >= 1, but is " + most);
    }
    growth = most;
    return this;
  }

  /** Begins the score anew, and the lists of sizes and decisions. */
  public Course fromNow() {
    reached = 0;
    possible = 0;
    sizes.clear();
    decisions.clear();
    return this;
  }

  /** Goes on for {@code seconds} with users who never rest and work of this curve. */
  public Course run(double seconds, int users, IntToDoubleFunction curve) {
    return run(seconds, users, curve, 1);
  }

  /**
   * Goes on for {@code seconds}.
   *
   * @param users 0 or more
   * @param curve completions per second of a number of busy workers, 0 of none
   * @param rate what the curve is multiplied by, as in a stall; the score does not know
   */
  public Course run(double seconds, int users, IntToDoubleFunction curve, double rate) {
    double best = users == 0 ? 0 : curve.applyAsDouble(Shape.best(curve, users));
    for (int i = 0; i < seconds * 2; i++) {
      double factor = rate * Math.max(0.1, 1 + wander());
      inForce = (int) Math.min(size, (long) inForce + growth);
      sizes.add(inForce);
      reached += curve.applyAsDouble(Math.min(users, inForce));
      possible += best;
      Decision decision = controller.decide(window(users, n -> factor * curve.applyAsDouble(n)));
      decisions.add(decision);
      size = BOUNDS.clamp(decision.size());
    }
    return this;
  }

  /** Of a pool whose curve is for this window alone. */
  private Window window(int users, IntToDoubleFunction curve) {
    VirtualPool pool = new VirtualPool("course", BOUNDS, inForce, curve);
    pool.users(users);
    pool.closeWindow(now);
    now += WINDOW;
    return pool.closeWindow(now);
  }

  private double wander() {
    double innovation = noise * Math.sqrt(1 - REMAINS * REMAINS) * gaussian();
    wander = REMAINS * wander + innovation;
    return wander;
  }

  /** Box and Muller, of a generator that is the same in every version of Java. */
  private double gaussian() {
    return Math.sqrt(-2 * Math.log(1 - random.nextDouble()))
        * Math.cos(2 * Math.PI * random.nextDouble());
  }

  /** Work done as a fraction of what the best sizes would have done. */
  public double score() {
    return reached / possible;
  }

  /** Mean size. */
  public double meanSize() {
    return sizes.stream().mapToInt(Integer::intValue).average().orElseThrow();
  }

  /** The size in force. */
  public int size() {
    return size;
  }

  /** The sizes that were in force, one a window. */
  public List<Integer> sizes() {
    return List.copyOf(sizes);
  }

  /** The last decision since the lists began. */
  public Decision lastDecision() {
    return decisions.get(decisions.size() - 1);
  }

  /** The decisions, one a window. */
  public List<Decision> decisions() {
    return List.copyOf(decisions);
  }
}
