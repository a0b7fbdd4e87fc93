package io.poolkeeper.testbed.tunnel.course;

import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Repairman;
import java.util.Arrays;

/**
 * Worth of each size of a pool during a stage, swept over all sizes in closed form.
 *
 * <p>Closed users without time to think keep min(users, size) tasks in service, so the throughput
 * is the curve there. With time to think they are the {@link Repairman}. Open arrivals are
 * completed as fast as they come if the curve at the size is above their rate, whatever process
 * they are (Loynes 1962), and else as fast as the curve allows.
 */
public final class Optimum {

  /** A size whose throughput is within this fraction of the best counts as good enough. */
  public static final double TOLERANCE = 0.03;

  /**
   * Factor by which a pool must be faster than the arrivals so that its queue stays short; a size
   * that is just within the tolerance of their rate would let it grow for ever.
   */
  private static final double HEADROOM = 1.1;

  private final double[] throughput;
  private final int best;
  private final int enough;

  private Optimum(double[] throughput, int best, int enough) {
    this.throughput = throughput;
    this.best = best;
    this.enough = enough;
  }

  /** The optimum of a stage for sizes up to {@code largest}. */
  static Optimum of(Stage stage, int largest) {
    Curve curve = stage.plant().curve();
    double[] throughput = new double[largest + 1];
    for (int size = 1; size <= largest; size++) {
      throughput[size] = throughput(curve, stage.demand(), size);
    }
    double most = Arrays.stream(throughput).max().orElseThrow();
    if (stage.demand() instanceof Demand.Open open) {
      // Where several sizes keep up, the one with the largest reserve has the shortest queue.
      double capacity = curve.capacity(largest);
      double needed = Math.min(HEADROOM * open.perSecond(), (1 - TOLERANCE) * capacity);
      int best = curve.smallestWith(capacity * (1 - Curve.EQUAL));
      return new Optimum(throughput, best, curve.smallestWith(needed));
    }
    return new Optimum(
        throughput,
        firstAtLeast(throughput, most * (1 - Curve.EQUAL)),
        firstAtLeast(throughput, most * (1 - TOLERANCE)));
  }

  private static double throughput(Curve curve, Demand demand, int size) {
    if (demand instanceof Demand.Open open) {
      return Math.min(open.perSecond(), curve.at(size));
    }
    Demand.Closed closed = (Demand.Closed) demand;
    return closed.thinkSeconds() == 0
        ? curve.at(Math.min(closed.users(), size))
        : Repairman.throughput(
            closed.users(), closed.thinkSeconds(), j -> curve.at(Math.min(j, size)));
  }

  private static int firstAtLeast(double[] throughput, double rate) {
    int size = 1;
    while (throughput[size] < rate) {
      size++;
    }
    return size;
  }

  /** Completions per second in the long run with a pool of {@code size}. */
  public double throughput(int size) {
    return throughput[size];
  }

  /**
   * A size with the most completions; of several the smallest, or the one with the shortest queue.
   */
  public int best() {
    return best;
  }

  /** The smallest size within {@link #TOLERANCE} of the best, whose queue stays short. */
  public int enough() {
    return enough;
  }

  /** The most completions per second that any size has; 0 where nobody asks for any. */
  public double most() {
    return throughput[best];
  }
}
