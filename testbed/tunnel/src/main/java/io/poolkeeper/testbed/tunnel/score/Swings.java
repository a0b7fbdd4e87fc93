package io.poolkeeper.testbed.tunnel.score;

import io.poolkeeper.testbed.tunnel.flight.Steps;

/**
 * Finds limit cycles: a size that goes up and down again and again. It is measured in steps of a
 * grid on which neighbours differ by about a factor of the square root of two, so that 1 to 2
 * threads count as much as 90 to 128. A cycle of n steps turns at least {@link #TURNS} times after
 * having moved n steps: twice there and twice back.
 */
final class Swings {

  static final int TURNS = 4;

  private static final int[] GRID = {1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90, 128, 181, 256};

  private Swings() {}

  /** Steps of the largest cycle between two times; 0 for none. */
  static int largest(Steps sizes, double from, double to) {
    int steps = 0;
    while (steps < GRID.length && turns(sizes, from, to, steps + 1) >= TURNS) {
      steps++;
    }
    return steps;
  }

  private static int turns(Steps sizes, double from, double to, int steps) {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    int direction = 0;
    int turns = 0;
    for (int size : sizes.sizes(from, to).toArray()) {
      double now = position(size);
      low = Math.min(low, now);
      high = Math.max(high, now);
      if (direction <= 0 && now >= low + steps) {
        turns += direction < 0 ? 1 : 0;
        direction = 1;
        high = now;
        low = now;
      } else if (direction >= 0 && now <= high - steps) {
        turns += direction > 0 ? 1 : 0;
        direction = -1;
        low = now;
        high = now;
      }
    }
    return turns;
  }

  /** Returns the position of a size on the grid; it may lie between two of the grid's sizes. */
  static double position(int size) {
    int above = 0;
    while (above < GRID.length && GRID[above] < size) {
      above++;
    }
    return above == 0 || GRID[above] == size
        ? above
        : above - (double) (GRID[above] - size) / (GRID[above] - GRID[above - 1]);
  }
}
