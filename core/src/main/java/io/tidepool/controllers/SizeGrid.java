package io.tidepool.controllers;

/**
 * The sizes that are told apart: each up to 8, then four a doubling up to 512, then two up to 4096.
 */
final class SizeGrid {

  private static final int[] SIZES = {
    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 22, 26, 32, 38, 45, 54, 64, 76, 90, 108, 128, 152,
    181, 215, 256, 304, 362, 430, 512, 724, 1024, 1448, 2048, 2896, 4096
  };

  /** How many sizes there are. */
  static final int COUNT = SIZES.length;

  private static final double[] LOG_2 = new double[COUNT];

  static {
    for (int i = 0; i < COUNT; i++) {
      LOG_2[i] = StrictMath.log(SIZES[i]) / StrictMath.log(2);
    }
  }

  private SizeGrid() {}

  /** The size at a place of the grid. */
  static int size(int index) {
    return SIZES[index];
  }

  /** Doublings from 1 to the size at a place of the grid. */
  static double doublings(int index) {
    return LOG_2[index];
  }

  /** Where the size is that is nearest to {@code size}, as a ratio. */
  static int nearest(double size) {
    int above = atLeast(size);
    return above > 0 && size * size < (double) SIZES[above] * SIZES[above - 1] ? above - 1 : above;
  }

  /** Where the first size of {@code size} or more is, or the last of all. */
  static int atLeast(double size) {
    int index = 0;
    while (index < COUNT - 1 && SIZES[index] < size) {
      index++;
    }
    return index;
  }
}
