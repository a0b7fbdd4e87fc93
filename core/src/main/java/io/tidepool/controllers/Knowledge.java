package io.tidepool.controllers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What is known of the response curve of one kind of work: the evidence, at most one of a size,
 * sorted by size. Immutable.
 *
 * @param evidence sorted by size
 * @param reach the place in the grid of the largest size that was in force, -1 for none
 * @param seconds for which this kind of work has been in force, all together
 */
public record Knowledge(List<Evidence> evidence, int reach, double seconds) {

  /** Evidence about new work fades to a third in so many seconds. */
  private static final double FADE_SECONDS = 3000;

  /** The same, in times that the work has been the same: what has lasted will last. */
  private static final double FADE_OF_AGE = 2;

  /** Below this weight evidence is dropped. */
  private static final double NEGLIGIBLE = 0.02;

  static final Knowledge NONE = new Knowledge(List.of(), -1, 0);

  public Knowledge {
    evidence = List.copyOf(evidence);
  }

  /** Windows that this rests on, each counted by its weight. */
  double weight() {
    double sum = 0;
    for (Evidence one : evidence) {
      sum += one.weight();
    }
    return sum;
  }

  /** Weight of the evidence about a place of the grid, 0 if there is none. */
  double weightAt(int index) {
    for (Evidence one : evidence) {
      if (one.index() == index) {
        return one.weight();
      }
    }
    return 0;
  }

  /** With one more window. */
  Knowledge with(int index, double weight, double level, int sizeInForce) {
    List<Evidence> all = new ArrayList<>(evidence.size() + 1);
    Evidence changed = new Evidence(index, weight, level);
    for (Evidence one : evidence) {
      if (one.index() == index) {
        changed = one.and(weight, level);
      } else {
        all.add(one);
      }
    }
    int place = 0;
    while (place < all.size() && all.get(place).index() < index) {
      place++;
    }
    all.add(place, changed);
    return new Knowledge(all, Math.max(reach, sizeInForce), seconds);
  }

  /**
   * After more time of the same work: all evidence counts less. It fades the slower the longer the
   * work has been the same, so that what was refuted is tried again after twice that time, say, and
   * not every few minutes for good.
   */
  Knowledge after(double more) {
    double factor = StrictMath.exp(-more / (FADE_SECONDS + FADE_OF_AGE * seconds));
    Knowledge faded = map(one -> one.discounted(factor));
    return new Knowledge(faded.evidence, reach, seconds + more);
  }

  /** With the level of all sizes moved. */
  Knowledge moved(double by) {
    return map(one -> one.moved(by));
  }

  private Knowledge map(UnaryOperator<Evidence> change) {
    List<Evidence> all = new ArrayList<>(evidence.size());
    for (Evidence one : evidence) {
      Evidence changed = change.apply(one);
      if (changed.weight() > NEGLIGIBLE) {
        all.add(changed);
      }
    }
    return new Knowledge(all, reach, seconds);
  }
}
