package io.poolkeeper.controllers.curves;

import java.util.SplittableRandom;

/** Standard normal numbers that are the same in every version of Java (Box and Muller 1958). */
final class Normals {

  private Normals() {}

  /** Returns a table of independent numbers, drawn column by column. */
  static double[][] table(int rows, int columns, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] table = new double[rows][columns];
    for (int column = 0; column < columns; column++) {
      for (double[] row : table) {
        double radius = Math.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
        row[column] = radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
      }
    }
    return table;
  }
}
