package io.poolkeeper.testbed.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.testbed.simulator.statistics.Estimate;

/** Comparison of what was simulated with what is exact. */
final class Golden {

  private Golden() {}

  /**
   * Within three standard errors, which must be small enough for that to say something. Standard
   * errors are those of batch means; the runs are seeded, so a check passes always or never.
   *
   * @param precision largest standard error, as a fraction of the exact value
   */
  static void assertEstimates(String what, Estimate estimate, double exact, double precision) {
    assertThat(estimate.standardError()).as("precision of " + what).isLessThan(precision * exact);
    assertThat(estimate.value()).as(what).isCloseTo(exact, offset(3 * estimate.standardError()));
  }
}
