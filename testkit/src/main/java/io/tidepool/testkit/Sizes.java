package io.tidepool.testkit;

/** The sizes that a pool went through, as far as they tell whether it came to rest. */
public final class Sizes {

  private static final double STEP = 1.5;
  private static final int STEP_WORKERS = 2;
  private static final int CHANGES_AT_REST = 60;

  private int smallest = Integer.MAX_VALUE;
  private int largest;
  private int last;
  private int changes;

  /** Those of a list, in their order. */
  public static Sizes of(Iterable<Integer> sizes) {
    Sizes seen = new Sizes();
    sizes.forEach(seen::see);
    return seen;
  }

  /** One more. */
  public void see(int size) {
    smallest = Math.min(smallest, size);
    largest = Math.max(largest, size);
    changes += last != 0 && size != last ? 1 : 0;
    last = size;
  }

  /** The largest seen, 0 before there was one. */
  public int largest() {
    return largest;
  }

  /** How often one differed from the one before it. */
  public int changes() {
    return changes;
  }

  /**
   * Whether they lie farther apart than neighbours of a geometric grid: a factor of 1.5, or two
   * workers.
   */
  public boolean flip() {
    return largest > Math.max(smallest + STEP_WORKERS, STEP * smallest);
  }

  /**
   * What became of an hour of work that stayed the same: {@code flips}, {@code swings within a grid
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
    return "sizes from %d to %d, %d changes, %d at the end"
        .formatted(smallest, largest, changes, last);
  }
}
