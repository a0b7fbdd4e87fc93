package io.tidepool.testbed.peers.faults;

/** The sizes that a contestant went through. */
final class Sizes {

  private int smallest = Integer.MAX_VALUE;
  private int largest;
  private int last;
  private int changes;

  private void see(int size) {
    smallest = Math.min(smallest, size);
    largest = Math.max(largest, size);
    changes += last != 0 && size != last ? 1 : 0;
    last = size;
  }

  /** Those of a while. */
  static Sizes of(Contestant contestant, Plant plant, int seconds) {
    Sizes sizes = new Sizes();
    sizes.see(contestant.size());
    for (int second = 0; second < seconds; second++) {
      plant.nextSecond();
      contestant.second(plant, sizes::see);
    }
    return sizes;
  }

  /** What became of a size of 20, which may go up to 200 or more. */
  String growth() {
    if (largest >= 200) {
      return "rises to its maximum";
    }
    return largest > 40 ? "rises" : "stays";
  }

  /**
   * Whether they are one size: changes no more often than once a minute of an hour, or between
   * neighbours of a geometric grid, a factor of 1.5 or two workers apart.
   */
  String steadiness() {
    boolean near = largest <= Math.max(smallest + 2, 1.5 * smallest);
    if (near) {
      return changes <= 60 ? "rests" : "swings within a grid step";
    }
    return "flips";
  }

  @Override
  public String toString() {
    return "sizes from %d to %d, %d changes, %d at the end"
        .formatted(smallest, largest, changes, last);
  }
}
