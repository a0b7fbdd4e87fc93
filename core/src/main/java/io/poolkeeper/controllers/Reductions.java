package io.poolkeeper.controllers;

/**
 * Reductions of the size between windows, for the first window that has the smaller size. They come
 * from the watch of the heap at any time: also after a window was closed, and while it is decided
 * on. Nothing here waits for a decision, and adding allocates nothing.
 */
final class Reductions {

  // Guarded by this.
  private int from;
  private double collecting;
  private boolean sudden;

  /** Whether a window with the size before has been decided on since. */
  private boolean late;

  // Those of the decision being made, for its thread alone.
  private int takenFrom;
  private double takenCollecting;
  private boolean takenSudden;

  /** Returns whether there was none since the last decision. */
  synchronized boolean isEmpty() {
    return from == 0;
  }

  /**
   * Adds a reduction.
   *
   * @param before size before it
   * @param share of the time in garbage collection
   * @param rate whether a sudden rate of allocation was the reason
   */
  synchronized void add(int before, double share, boolean rate) {
    from = Math.max(from, before);
    collecting = Math.max(collecting, share);
    sudden |= rate;
    late = false;
  }

  /**
   * Returns those that a window shows, as a single one. They stay until {@link #settle}.
   *
   * @param size in the window; one that is not smaller was closed before the reduction, and a
   *     second such window shows that the pool refused it
   */
  Draft.Reduction take(int size) {
    takeAll(size);
    return takenFrom == 0
        ? Draft.Reduction.NONE
        : new Draft.Reduction(takenFrom, takenCollecting, takenSudden);
  }

  private synchronized void takeAll(int size) {
    if (from <= size && !late) {
      late = from > 0;
      return;
    }
    takenFrom = Math.max(takenFrom, from);
    takenCollecting = Math.max(takenCollecting, collecting);
    takenSudden |= sudden;
    from = 0;
    collecting = 0;
    sudden = false;
    late = false;
  }

  /** Drops those of the decision, which was made; one that failed leaves them to the next. */
  void settle() {
    takenFrom = 0;
    takenCollecting = 0;
    takenSudden = false;
  }
}
