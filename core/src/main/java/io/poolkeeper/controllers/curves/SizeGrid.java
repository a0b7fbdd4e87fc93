package io.poolkeeper.controllers.curves;

import java.util.Arrays;

/**
 * The sizes of the model: each up to 32, then sixteen a doubling up to 512, then four up to 4096. A
 * {@linkplain #coarse coarse} part of them, four a doubling, is always considered; the others are
 * for the neighbourhood of sizes with evidence.
 */
public final class SizeGrid {

  private static final int[] SIZES = sizes();

  /** Number of sizes. */
  public static final int COUNT = SIZES.length;

  private static final int[] COARSE_SIZES = {
    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 22, 26, 32, 38, 46, 54, 64, 76, 92, 108, 128, 152,
    184, 216, 256, 304, 368, 432, 512, 724, 1024, 1448, 2048, 2896, 4096
  };

  private static final int[] COARSE =
      Arrays.stream(COARSE_SIZES).map(size -> Arrays.binarySearch(SIZES, size)).toArray();

  private static final double[] LOG_2 = new double[COUNT];

  static {
    for (int i = 0; i < COUNT; i++) {
      LOG_2[i] = StrictMath.log(SIZES[i]) / StrictMath.log(2);
    }
  }

  private SizeGrid() {}

  private static int[] sizes() {
    int[] sizes = new int[150];
    int count = 0;
    for (int size = 1; size <= 4096; size += step(size)) {
      sizes[count++] = size;
    }
    return Arrays.copyOf(sizes, count);
  }

  private static int step(int size) {
    if (size < 512) {
      return Math.max(1, Integer.highestOneBit(size) / 16);
    }
    int lower = Integer.highestOneBit(size);
    return size == lower ? (int) Math.round(lower * (StrictMath.sqrt(2) - 1)) : 2 * lower - size;
  }

  /** Returns the size at a place of the grid. */
  public static int size(int index) {
    return SIZES[index];
  }

  /** Returns the doublings from 1 to the size at a place of the grid. */
  public static double doublings(int index) {
    return LOG_2[index];
  }

  /** Returns the place of the size that is nearest to {@code size}, as a ratio. */
  public static int nearest(double size) {
    int above = atLeast(size);
    return above > 0 && size * size < (double) SIZES[above] * SIZES[above - 1] ? above - 1 : above;
  }

  /** Returns the place of the first size of {@code size} or more, or the last of all. */
  public static int atLeast(double size) {
    int index = 0;
    while (index < COUNT - 1 && SIZES[index] < size) {
      index++;
    }
    return index;
  }

  /** Returns the places of the coarse part of the grid, in order; not to be written to. */
  public static int[] coarse() {
    return COARSE;
  }

  /** Returns the place of the nearest size in the coarse part, as a ratio. */
  public static int nearestCoarse(double size) {
    int k = coarseAtLeast(size);
    boolean below = k > 0 && size * size < (double) SIZES[COARSE[k]] * SIZES[COARSE[k - 1]];
    return COARSE[below ? k - 1 : k];
  }

  /** Returns the number, in the coarse part, of the first size of {@code size} or more. */
  public static int coarseAtLeast(double size) {
    int k = 0;
    while (k < COARSE.length - 1 && SIZES[COARSE[k]] < size) {
      k++;
    }
    return k;
  }
}
