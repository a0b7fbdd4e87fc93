package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
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

  /** Weight of evidence from which a size is known. */
  private static final double FAMILIAR = 0.2;

  /** Weight that is left, with each window, of evidence from before the program was warm. */
  private static final double COLD = 0.5;

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

  /**
   * Share of the evidence of which a cost seen now rules out that it is of the same work, from 0 to
   * 1.
   *
   * @param now cost at a place of the grid
   * @param index that place
   * @param kind which of the costs it is
   */
  double ruledOut(double now, int index, ToDoubleFunction<Cost> kind) {
    double all = 0;
    double out = 0;
    for (Evidence one : evidence) {
      double before = kind.applyAsDouble(one.cost());
      all += Double.isNaN(before) ? 0 : one.weight();
      out += Cost.rulesOut(before, one.index(), now, index) ? one.weight() : 0;
    }
    return all == 0 ? 0 : out / all;
  }

  /** The same, with less weight of what was seen while tasks were much dearer than now. */
  Knowledge warmed(Cost now, int index) {
    return map(one -> one.cost().coldBeside(one.index(), now, index) ? one.discounted(COLD) : one);
  }

  /** Whether the size at a place of the grid was in force before. */
  boolean knows(int index) {
    return weightAt(index) >= FAMILIAR || index == mostFamiliar();
  }

  /** The place of the size that was in force longest; the first one if nothing is known. */
  int mostFamiliar() {
    int place = 0;
    double most = 0;
    for (Evidence one : evidence) {
      if (one.weight() > most) {
        most = one.weight();
        place = one.index();
      }
    }
    return place;
  }

  /** The place with the best reward seen; the first one if nothing is known. */
  int best() {
    double most = Double.NEGATIVE_INFINITY;
    int place = 0;
    for (Evidence one : evidence) {
      if (one.level() > most) {
        most = one.level();
        place = one.index();
      }
    }
    return place;
  }

  /**
   * The first place above that with the best reward at which less than a part of it was seen; the
   * last of the grid if there is none.
   */
  int firstBeyond(double part) {
    int best = best();
    double least = Double.NEGATIVE_INFINITY;
    for (Evidence one : evidence) {
      if (one.index() == best) {
        least = one.level() + StrictMath.log(part);
      } else if (one.index() > best && one.level() < least) {
        return one.index();
      }
    }
    return SizeGrid.COUNT - 1;
  }

  /** With one more window of which the costs are not known. */
  Knowledge with(int index, double weight, double level, int sizeInForce) {
    return with(index, weight, level, Cost.UNKNOWN, sizeInForce);
  }

  /** With one more window. */
  Knowledge with(int index, double weight, double level, Cost cost, int sizeInForce) {
    List<Evidence> all = new ArrayList<>(evidence.size() + 1);
    Evidence changed = new Evidence(index, weight, level, cost);
    for (Evidence one : evidence) {
      if (one.index() == index) {
        changed = one.and(weight, level, cost);
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
