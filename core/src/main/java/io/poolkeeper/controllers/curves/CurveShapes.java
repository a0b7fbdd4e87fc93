package io.poolkeeper.controllers.curves;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * The shapes that a response curve may have, up to a factor: reward as a function of the size. They
 * are hypotheses for Bayes' rule. Four families, each over all places that its knee may have:
 *
 * <ul>
 *   <li>a hard knee, as of processors or permits: in proportion to the size up to the knee, then
 *       flat or falling by a part per worker;
 *   <li>a round knee, as of a queueing network: one over the cube root of {@code 1 + (n / knee)^3},
 *       less the loss by crosstalk;
 *   <li>the universal scalability law (Gunther 2007): contention and coherence;
 *   <li>a second rise beyond a flat stretch, which may end again, as of disks that reorder
 *       requests.
 * </ul>
 */
public final class CurveShapes {

  /** Ratio of neighbouring knees: four a doubling where a knee is hard, two where it is round. */
  private static final double FINE = StrictMath.sqrt(StrictMath.sqrt(2));

  private static final double COARSE = StrictMath.sqrt(2);

  /** Largest knee: a curve with a knee beyond the grid is a straight line. */
  private static final double LAST = 4100;

  private static final double[] LOSS_PER_WORKER = {0, 0.001, 0.005, 0.03};
  private static final double[] CROSSTALK = {0, 1.0 / 64, 1.0 / 8, 1};
  private static final double[] CONTENTION = {
    0, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1, 0.17, 0.3, 0.6
  };

  private static final CurveShapes ALL = new CurveShapes();

  private final List<double[]> logs = new ArrayList<>();
  private final List<Double> priors = new ArrayList<>();

  /** By place of the grid and shape. */
  private final double[][] log = new double[SizeGrid.COUNT][];

  private final double[] logPrior;

  private CurveShapes() {
    hardKnees();
    roundKnees();
    scalabilityLaw();
    secondRise();
    logPrior = priors.stream().mapToDouble(prior -> prior).toArray();
    for (int place = 0; place < log.length; place++) {
      int row = place;
      log[place] = logs.stream().mapToDouble(shape -> shape[row]).toArray();
    }
  }

  /** Returns the number of shapes. */
  static int count() {
    return ALL.logPrior.length;
  }

  /** Returns the natural logarithm of each shape at a place of the grid; not to be written to. */
  static double[] log(int place) {
    return ALL.log[place];
  }

  /** Returns the logarithm of the prior of a shape. */
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
    weigh(first, Tuning.COMMON_SHAPES);
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
    weigh(first, Tuning.COMMON_SHAPES);
  }

  private void scalabilityLaw() {
    int first = logs.size();
    for (double contention : CONTENTION) {
      for (double peak = COARSE; peak < LAST; peak *= COARSE) {
        double coherence = (1 - contention) / (peak * peak);
        add(n -> n / (1 + contention * (n - 1) + coherence * n * (n - 1)));
      }
    }
    weigh(first, Tuning.COMMON_SHAPES);
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
    weigh(first, Tuning.RARE_SHAPES);
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
