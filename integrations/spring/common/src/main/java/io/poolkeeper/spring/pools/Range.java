package io.poolkeeper.spring.pools;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sizes that decisions may choose now. It lies within the bounds of the pool, which hold for its
 * life, and can be changed while the pool runs.
 */
final class Range {

  private final Bounds widest;
  private volatile Bounds chosen;
  private volatile @Nullable Controller coordinated;

  /**
   * Makes a range.
   *
   * @param chosen sizes at first
   * @param current size that the host has at the start, which may be outside; 0 for none
   */
  Range(Bounds chosen, int current) {
    this.chosen = chosen;
    widest =
        current == 0
            ? chosen
            : new Bounds(Math.min(chosen.minimum(), current), Math.max(chosen.maximum(), current));
  }

  /** The bounds of the pool, within which the range can be changed. */
  Bounds widest() {
    return widest;
  }

  /** The sizes that a person has chosen. */
  Bounds chosen() {
    return chosen;
  }

  /**
   * Requires sizes within the bounds of the pool.
   *
   * @throws IllegalArgumentException if they are outside
   */
  void require(Bounds sizes) {
    widest.require("min", sizes.minimum());
    widest.require("max", sizes.maximum());
  }

  /**
   * Changes the sizes.
   *
   * @throws IllegalArgumentException if they are outside the bounds of the pool
   */
  void choose(Bounds sizes) {
    require(sizes);
    chosen = sizes;
  }

  /** Has another controller decide from the next window on, one that knows of another pool. */
  void coordinate(Controller controller) {
    controller.requireBounds(chosen);
    coordinated = controller;
  }

  /** The size nearest to {@code size} that decisions may choose. */
  int clamp(int size) {
    return chosen.clamp(size);
  }

  /** Returns a new controller that decides within the range. */
  Controller controller(Objective objective) {
    return new RangedController(Controllers.forObjective(objective));
  }

  /** Bends decisions to the range. */
  private final class RangedController implements Controller {

    private final Controller own;

    RangedController(Controller own) {
      this.own = own;
    }

    private Controller controller() {
      Controller other = coordinated;
      return other == null ? own : other;
    }

    @Override
    public Decision decide(Window window) {
      Decision decision = controller().decide(window);
      int size = clamp(decision.size());
      return size == decision.size()
          ? decision
          : Decision.towards(
                  size,
                  "%s (asked for %d, the limit is %d)"
                      .formatted(decision.reason(), decision.size(), size))
              .because(decision.numbers());
    }

    @Override
    public int relieve(int size, double collecting, double filling) {
      int relieved = controller().relieve(size, collecting, filling);
      return relieved == size ? size : Math.min(size, clamp(relieved));
    }

    @Override
    public Optional<Objective> objective() {
      return controller().objective();
    }

    @Override
    public Duration window() {
      return controller().window();
    }

    @Override
    public void requireBounds(Bounds bounds) {
      controller().requireBounds(bounds);
    }

    @Override
    public String name() {
      return controller().name();
    }
  }
}
