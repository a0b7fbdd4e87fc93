package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * The shapes that a response curve may have, up to a factor: reward as a function of the size. They
 * are hypotheses; which of them hold is for the windows to say. Four families, each over all places
 * that its knee may have:
 *
 * <ul>
 *   <li>a hard knee, as of processors or permits: in proportion to the size up to the knee, then
 *       flat or falling by a part per worker;
 *   <li>a round knee, as of a queueing network: one over the cube root of {@code 1 + (n / knee)^3},
 *       and what crosstalk takes;
 *   <li>the universal scalability law (Gunther 2007): contention and coherence;
 *   <li>a second rise beyond a flat stretch, which may end again, as of disks that reorder
 *       requests.
 * </ul>
 */
final class CurveShapes {

  /** Between knees of one family: four a doubling where a knee is hard, two where it is round. */
  private static final double FINE = StrictMath.sqrt(StrictMath.sqrt(2));

  private static final double COARSE = StrictMath.sqrt(2);

  /** No knee lies beyond this size: there a curve is a straight line for all that can be seen. */
  private static final double LAST = 4100;

  private static final double[] LOSS_PER_WORKER = {0, 0.001, 0.005, 0.03};
  private static final double[] CROSSTALK = {0, 1.0 / 64, 1.0 / 8, 1};
  private static final double[] CONTENTION = {
    0, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1, 0.17, 0.3, 0.6
  };

  /** What a family weighs before anything is known. */
  private static final double COMMON = 0.32;

  private static final double RARE = 0.04;

  private static final CurveShapes ALL = new CurveShapes();

  private final List<double[]> logs = new ArrayList<>();
  private final List<Double> priors = new ArrayList<>();
  private final double[][] log;
  private final double[][] value;
  private final double[] logPrior;

  private CurveShapes() {
    hardKnees();
    roundKnees();
    scalabilityLaw();
    secondRise();
    log = logs.toArray(double[][]::new);
    value = new double[log.length][SizeGrid.COUNT];
    logPrior = new double[log.length];
    for (int shape = 0; shape < log.length; shape++) {
      logPrior[shape] = priors.get(shape);
      for (int i = 0; i < SizeGrid.COUNT; i++) {
        value[shape][i] = StrictMath.exp(log[shape][i]);
      }
    }
  }

  /** How many there are. */
  static int count() {
    return ALL.log.length;
  }

  /** Natural logarithm of a shape at the places of the grid; not to be written to. */
  static double[] log(int shape) {
    return ALL.log[shape];
  }

  /** A shape at the places of the grid; not to be written to. */
  static double[] value(int shape) {
    return ALL.value[shape];
  }

  /** Logarithm of what a shape weighs before anything is known. */
  static double logPrior(int shape) {
    return ALL.logPrior[shape];
  }

  private void hardKnees() {
    int first = logs.size();
    for (double k = 1; k < LAST; k *= FINE) {
      double knee = k;
      for (double loss : LOSS_PER_WORKER) {
        add(n -> Math.min(n, knee) / (1 + loss * Math.max(0, n - knee)));
      }
    }
    weigh(first, COMMON);
  }

  private void roundKnees() {
    int first = logs.size();
    for (double k = 1; k < LAST; k *= COARSE) {
      double knee = k;
      for (double crosstalk : CROSSTALK) {
        add(
            n -> {
              double r = n / knee;
              return n / (StrictMath.cbrt(1 + r * r * r) + crosstalk * r * r);
            });
      }
    }
    weigh(first, COMMON);
  }

  private void scalabilityLaw() {
    int first = logs.size();
    for (double contention : CONTENTION) {
      for (double peak = COARSE; peak < LAST; peak *= COARSE) {
        double coherence = (1 - contention) / (peak * peak);
        add(n -> n / (1 + contention * (n - 1) + coherence * n * (n - 1)));
      }
    }
    weigh(first, COMMON);
  }

  private void secondRise() {
    int first = logs.size();
    for (double k = 1; k < LAST; k *= 2) {
      double knee = k;
      for (double gain : new double[] {0.1, 0.25}) {
        for (double distance : new double[] {4, 8, 16}) {
          for (double width : new double[] {4, LAST}) {
            double top = knee * distance;
            add(
                n -> {
                  double rise = StrictMath.log(2 * n / top) / StrictMath.log(2);
                  double fall = StrictMath.log(width * top / n) / StrictMath.log(2);
                  double share = Math.max(0, Math.min(1, Math.min(rise, fall)));
                  return Math.min(n, knee) * (1 + gain * share);
                });
          }
        }
      }
    }
    weigh(first, RARE);
  }

  private void add(DoubleUnaryOperator shape) {
    double[] at = new double[SizeGrid.COUNT];
    for (int i = 0; i < at.length; i++) {
      at[i] = StrictMath.log(shape.applyAsDouble(SizeGrid.size(i)));
    }
    logs.add(at);
  }

  private void weigh(int first, double share) {
    double each = StrictMath.log(share / (logs.size() - first));
    while (priors.size() < logs.size()) {
      priors.add(each);
    }
  }
}
