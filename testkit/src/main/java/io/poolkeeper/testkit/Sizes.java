package io.poolkeeper.testkit;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The sizes that a pool went through, as far as they tell whether it came to rest. A pool that
 * keeps learning looks at another size now and then; such visits, up to 2 % of the sizes seen on
 * either side, do not make it restless.
 */
public final class Sizes {

  private static final double STEP = 1.5;
  private static final int STEP_WORKERS = 2;
  private static final int CHANGES_AT_REST = 60;
  private static final double VISITS = 0.02;

  private final SortedMap<Integer, Integer> times = new TreeMap<>();

  private int seen;
  private int last;
  private int changes;

  /** Begins with none. */
  public Sizes() {}

  /** Those of a list, in their order. */
  public static Sizes of(Iterable<Integer> sizes) {
    Sizes seen = new Sizes();
    sizes.forEach(seen::see);
    return seen;
  }

  /** One more. */
  public void see(int size) {
    times.merge(size, 1, Integer::sum);
    seen++;
    changes += last != 0 && size != last ? 1 : 0;
    last = size;
  }

  /** The largest apart from visits, 0 before there was one. */
  public int largest() {
    return quantile(1 - VISITS);
  }

  /** Returns the number of changes. */
  public int changes() {
    return changes;
  }

  /**
   * Returns whether they lie farther apart than neighbours of a geometric grid, a factor of 1.5 or
   * two workers, apart from visits.
   */
  public boolean flip() {
    int smallest = quantile(VISITS);
    int largest = largest();
    return largest > Math.max(smallest + STEP_WORKERS, STEP * smallest);
  }

  /**
   * Summarises an hour of work that stayed the same: {@code flips}, {@code swings within a grid
   * step}, or {@code rests} with a change a minute at most.
   */
  public String steadiness() {
    if (flip()) {
      return "flips";
    }
    return changes <= CHANGES_AT_REST ? "rests" : "swings within a grid step";
  }

  @Override
  public String toString() {
    return times.isEmpty()
        ? "no sizes"
        : "sizes from %d to %d, %d changes, %d at the end"
            .formatted(times.firstKey(), times.lastKey(), changes, last);
  }

  private int quantile(double share) {
    double before = 0;
    for (Map.Entry<Integer, Integer> each : times.entrySet()) {
      before += each.getValue();
      if (before > share * seen) {
        return each.getKey();
      }
    }
    return times.isEmpty() ? 0 : times.lastKey();
  }
}
