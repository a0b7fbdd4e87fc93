package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Require;
import java.util.OptionalDouble;

/**
 * CPU quota of a control group, as the kernel enforces it: in each period the tasks may use {@code
 * cores * period} of CPU time, at full speed and on all cores together. Once it is used up all of
 * them stand still until the next period begins.
 *
 * <p>Assumed: the quota is counted exactly. The kernel gives it to its processors in slices, so
 * that tasks on one of them may stop while another has time left.
 *
 * @param cores above 0
 * @param period seconds, {@link #SHORTEST_PERIOD} or more
 * @param burst CPU seconds that were left over of earlier periods and may be used later, at most; 0
 *     or more. The kernel's processors keep 1 ms each, and as much as {@code cpu.max.burst} allows
 * @param offset seconds from the start of the run to the beginning of a period, from 0 to below the
 *     period; drawn for each server if it is empty, as the periods of servers that are started one
 *     after the other do not begin together
 */
public record CpuQuota(double cores, double period, double burst, OptionalDouble offset) {

  /** Shortest period that the kernel takes. */
  public static final double SHORTEST_PERIOD = 0.001;

  public CpuQuota {
    Require.positive("cores of a quota", cores);
    Require.notNegative("burst of a quota", burst);
    if (!(period >= SHORTEST_PERIOD && period < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "period of a quota must be >= %s s and finite, but is %s"
              .formatted(SHORTEST_PERIOD, period));
    }
    if (offset.isPresent() && !(offset.getAsDouble() >= 0 && offset.getAsDouble() < period)) {
      throw new IllegalArgumentException(
          "offset of a quota must be >= 0 and below its period of %s s, but is %s"
              .formatted(period, offset.getAsDouble()));
    }
  }

  /** A quota of which nothing is saved, and whose periods begin at a random moment. */
  public static CpuQuota of(double cores, double period) {
    return new CpuQuota(cores, period, 0, OptionalDouble.empty());
  }

  /** The same of which so many CPU seconds may be saved for later periods. */
  public CpuQuota burst(double seconds) {
    return new CpuQuota(cores, period, seconds, offset);
  }

  /** The same with periods that begin this long after the start of the run. */
  public CpuQuota offset(double seconds) {
    return new CpuQuota(cores, period, burst, OptionalDouble.of(seconds));
  }
}
