package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Knowledge of the response curve of a kind of work: the evidence, at most one entry a size.
 * Immutable.
 *
 * @param evidence sorted by size
 * @param largestTried place in the grid of the largest size that was in force, -1 for none
 * @param seconds total time for which this kind of work has been in force
 */
record Knowledge(List<Evidence> evidence, int largestTried, double seconds) {

  static final Knowledge NONE = new Knowledge(List.of(), -1, 0);

  Knowledge {
    evidence = List.copyOf(evidence);
  }

  /** Works out the posterior of the curve. */
  CurvePosterior posterior() {
    int count = evidence.size();
    int[] index = new int[count];
    double[] level = new double[count];
    double[] noise = new double[count];
    for (int j = 0; j < count; j++) {
      Evidence entry = evidence.get(j);
      index[j] = entry.index();
      level[j] = entry.level();
      noise[j] = entry.variance();
    }
    return new CurvePosterior(index, level, noise);
  }

  /** Returns the weight of all evidence, in windows. */
  double weight() {
    double sum = 0;
    for (Evidence entry : evidence) {
      sum += entry.weight();
    }
    return sum;
  }

  /** Returns the weight of the evidence about a place of the grid, 0 if there is none. */
  double weightAt(int index) {
    Evidence entry = at(index);
    return entry == null ? 0 : entry.weight();
  }

  /** Returns the evidence at a place of the grid, null without any. */
  @Nullable Evidence at(int index) {
    for (Evidence entry : evidence) {
      if (entry.index() == index) {
        return entry;
      }
    }
    return null;
  }

  /**
   * Returns the share of the evidence that cannot be of the same work as a cost measured now, from
   * 0 to 1.
   *
   * @param now cost at a place of the grid
   * @param index that place
   * @param kind the kind of cost
   */
  double ruledOut(double now, int index, ToDoubleFunction<TaskCost> kind) {
    double total = 0;
    double out = 0;
    for (Evidence entry : evidence) {
      double before = kind.applyAsDouble(entry.cost());
      total += Double.isNaN(before) ? 0 : entry.weight();
      out += TaskCost.rulesOut(before, entry.index(), now, index) ? entry.weight() : 0;
    }
    return total == 0 ? 0 : out / total;
  }

  /** Reduces the weight of evidence from a time at which tasks were much dearer than now. */
  Knowledge withoutCold(TaskCost now, int index) {
    return map(
        entry ->
            entry.cost().coldComparedWith(entry.index(), now, index)
                ? entry.discounted(Tuning.COLD_WEIGHT)
                : entry);
  }

  /** Returns whether the size at a place of the grid was in force before. */
  boolean isFamiliar(int index) {
    return weightAt(index) >= Tuning.FAMILIAR || index == mostFamiliar();
  }

  /**
   * Returns a size if it was more than tried or nothing is known, else the one in force longest.
   */
  int restingSize(int size) {
    boolean rests =
        evidence.isEmpty() || weightAt(SizeGrid.nearest(size)) >= Tuning.WORTH_REMEMBERING;
    return rests ? size : SizeGrid.size(mostFamiliar());
  }

  /** Returns the place of the size that was in force longest; 0 without evidence. */
  int mostFamiliar() {
    int place = 0;
    double most = 0;
    for (Evidence entry : evidence) {
      if (entry.weight() > most) {
        most = entry.weight();
        place = entry.index();
      }
    }
    return place;
  }

  /** Returns the place with the best reward; 0 without evidence. */
  int best() {
    double most = Double.NEGATIVE_INFINITY;
    int place = 0;
    for (Evidence entry : evidence) {
      if (entry.level() > most) {
        most = entry.level();
        place = entry.index();
      }
    }
    return place;
  }

  /**
   * Returns the smallest place that may do as much as the best. Where more workers share the same
   * resources, each does hardly more than among fewer of them; what each does among fewer than were
   * ever tried is less certain.
   */
  int smallestHopeful() {
    Evidence best = at(best());
    if (best == null) {
      return 0;
    }
    int next = 0;
    double each = evidence.get(0).mostOfEach();
    for (int place = 0; place < best.index(); place++) {
      while (evidence.get(next).index() <= place) {
        each = Math.max(each, evidence.get(next).mostOfEach());
        next++;
      }
      double gain = next == 0 ? Tuning.GAIN_AMONG_FEWER : Tuning.GAIN_AMONG_MORE;
      if (each + StrictMath.log(gain * SizeGrid.size(place)) >= best.level()) {
        return place;
      }
    }
    return best.index();
  }

  /**
   * Returns the first place above the best whose reward is less than a part of the best, or the
   * last place of the grid.
   *
   * @param certainty standard deviations of the evidence by which it must be less
   */
  int firstBeyond(double part, double certainty) {
    int best = best();
    double least = Double.NEGATIVE_INFINITY;
    for (Evidence entry : evidence) {
      if (entry.index() == best) {
        least = entry.level() + StrictMath.log(part);
      } else if (entry.index() > best
          && entry.level() + certainty * Math.sqrt(entry.variance()) < least) {
        return entry.index();
      }
    }
    return SizeGrid.COUNT - 1;
  }

  /** Returns whether some of what is known of larger sizes is from before such a movement. */
  boolean isOutdatedAbove(int place, double movement) {
    for (Evidence entry : evidence) {
      if (entry.index() > place && Math.abs(entry.moved()) > movement) {
        return true;
      }
    }
    return false;
  }

  /** Adds a window whose costs are unknown. */
  Knowledge with(int index, double weight, double level, int sizeInForce) {
    return with(index, weight, level, TaskCost.UNKNOWN, sizeInForce);
  }

  /** Adds a window. */
  Knowledge with(int index, double weight, double level, TaskCost cost, int sizeInForce) {
    List<Evidence> all = new ArrayList<>(evidence.size() + 1);
    Evidence changed = new Evidence(index, weight, level, 0, cost);
    for (Evidence entry : evidence) {
      if (entry.index() == index) {
        changed = entry.plus(weight, level, cost);
      } else {
        all.add(entry);
      }
    }
    int place = 0;
    while (place < all.size() && all.get(place).index() < index) {
      place++;
    }
    all.add(place, changed);
    return new Knowledge(all, Math.max(largestTried, sizeInForce), seconds);
  }

  /**
   * Adds evidence of earlier work about sizes of which nothing is known. Its curve probably has the
   * same shape at another level.
   *
   * @param shift movement of the level since then
   * @param most weight of each, at most
   */
  Knowledge withShapeOf(Knowledge earlier, double shift, double most) {
    Knowledge sum = this;
    for (Evidence entry : earlier.evidence) {
      if (at(entry.index()) == null) {
        double weight = Math.min(most, entry.weight());
        sum = sum.with(entry.index(), weight, entry.level() + shift, largestTried);
      }
    }
    return sum;
  }

  /** Adds windows on a way down, at the mean number of workers that were still busy. */
  Knowledge withDraining(Observation gathered, CurvePosterior expected, Noise noise) {
    int index = SizeGrid.nearestCoarse(gathered.busy());
    double level = expected.levelAt(StrictMath.log(gathered.rate()), gathered.busy(), index);
    double countNoise = Noise.ofCount(gathered.completions());
    return with(index, noise.weight(countNoise, Tuning.DRAINING_BLUR, 0), level, index);
  }

  /**
   * Ages the knowledge by time of the same work: all evidence counts less. It fades the slower the
   * longer the work has been the same. So a refuted size is tried again after about twice that
   * time, and not every few minutes for good.
   */
  Knowledge aged(double elapsed) {
    double factor = StrictMath.exp(-elapsed / (Tuning.FADE_SECONDS + Tuning.FADE_AGES * seconds));
    Knowledge faded = map(entry -> entry.discounted(factor));
    return new Knowledge(faded.evidence, largestTried, seconds + elapsed);
  }

  /** Moves the level of all sizes. */
  Knowledge shifted(double shift) {
    return map(entry -> entry.shifted(shift));
  }

  /** Adds a standard deviation to the level of each size. */
  Knowledge doubted(double deviation) {
    double variance = deviation * deviation / Noise.USUAL;
    return map(entry -> entry.discounted(1 / (1 + variance * entry.weight())));
  }

  private Knowledge map(UnaryOperator<Evidence> change) {
    List<Evidence> all = new ArrayList<>(evidence.size());
    for (Evidence entry : evidence) {
      Evidence changed = change.apply(entry);
      if (changed.weight() > Tuning.NEGLIGIBLE_WEIGHT) {
        all.add(changed);
      }
    }
    return new Knowledge(all, largestTried, seconds);
  }
}
