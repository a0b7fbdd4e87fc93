package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import java.util.function.IntToDoubleFunction;

/** Random functions of the logarithm of the size: Gaussian processes of mean 0 and deviation 1. */
final class GaussianCurves {

  /** Distance of the points between which a function is interpolated, in the logarithm. */
  private static final double STEP = Math.log(Curve.LARGEST) / 33;

  /** One more than the range needs: the first point lies at a random place below size 1. */
  private static final int POINTS = 35;

  /** Keeps the covariance of points that are nearly alike positive definite. */
  private static final double JITTER = 1e-9;

  private GaussianCurves() {}

  /** A function with the kernel {@code exp(-d² / 2 length²)}: smooth. */
  static IntToDoubleFunction smooth(Dice dice, double length) {
    double[][] factor = new double[POINTS][POINTS];
    for (int i = 0; i < POINTS; i++) {
      for (int j = 0; j <= i; j++) {
        double distance = (i - j) * STEP / length;
        double sum = Math.exp(-distance * distance / 2) + (i == j ? JITTER : 0);
        for (int k = 0; k < j; k++) {
          sum -= factor[i][k] * factor[j][k];
        }
        factor[i][j] = i == j ? Math.sqrt(Math.max(sum, JITTER)) : sum / factor[j][j];
      }
    }
    double[] normal = new double[POINTS];
    double[] values = new double[POINTS];
    for (int i = 0; i < POINTS; i++) {
      normal[i] = dice.gaussian();
      for (int j = 0; j <= i; j++) {
        values[i] += factor[i][j] * normal[j];
      }
    }
    return interpolated(values, dice.uniform(0, 1));
  }

  /** A function with the kernel {@code exp(-d / length)}: rough at every scale. */
  static IntToDoubleFunction rough(Dice dice, double length) {
    double correlation = Math.exp(-STEP / length);
    double[] values = new double[POINTS];
    values[0] = dice.gaussian();
    for (int i = 1; i < POINTS; i++) {
      values[i] =
          correlation * values[i - 1] + Math.sqrt(1 - correlation * correlation) * dice.gaussian();
    }
    return interpolated(values, dice.uniform(0, 1));
  }

  private static IntToDoubleFunction interpolated(double[] values, double phase) {
    return k -> {
      double at = Math.log(k) / STEP + phase;
      int left = Math.min((int) at, POINTS - 2);
      return values[left] + (at - left) * (values[left + 1] - values[left]);
    };
  }
}
