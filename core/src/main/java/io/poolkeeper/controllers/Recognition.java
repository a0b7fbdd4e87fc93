package io.poolkeeper.controllers;

import io.poolkeeper.controllers.ChangeDetector.Epoch;
import io.poolkeeper.controllers.curves.Tuning;
import org.jspecify.annotations.Nullable;

/**
 * Earlier work that was recognised by its reward at a single size. The first window at another size
 * shows whether it is that work: if it does far less than was expected, and less than before, it is
 * new work after all.
 *
 * @param index place in the grid at which it was recognised
 * @param level logarithm of the latest reward there
 * @param otherwise what is known if it is new work: the windows since
 * @param earlier the work that was recognised, null for none
 */
record Recognition(int index, double level, Knowledge otherwise, @Nullable Epoch earlier) {

  static final Recognition NONE = new Recognition(-1, 0, Knowledge.NONE, null);

  /** Returns whether a window at another size shows that it is new work. */
  boolean isRefutedBy(Comparison comparison) {
    return earlier != null
        && comparison.index() != index
        && comparison.deviation() < -Tuning.SUSPECT_DEVIATION
        && comparison.level() < level;
  }

  /** Keeps the doubt, and the windows, until there is a window at another size. */
  Recognition after(Comparison comparison, double weight, TaskCost cost) {
    if (earlier == null || comparison.index() != index) {
      return NONE;
    }
    Knowledge aged = otherwise.aged(comparison.window().seconds());
    Knowledge later = aged.with(index, weight, comparison.level(), cost, index);
    return new Recognition(index, comparison.level(), later, earlier);
  }
}
