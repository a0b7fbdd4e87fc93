package io.poolkeeper.testbed.clients.file;

import io.poolkeeper.testbed.commands.BadInput;

/** Reads probabilities. */
public final class Probabilities {

  /** Rounding of numbers written in decimals is allowed for, an error of a digit is not. */
  private static final double MAY_MISS = 1e-9;

  private Probabilities() {}

  /** A number from 0 to 1. */
  public static double read(Entry entry) throws BadInput {
    return entry.number(0, 1, "a probability within 0..1");
  }

  /** Checks that the probabilities in {@code entry} sum to 1. */
  public static void requireSum(Entry entry, double sum) throws BadInput {
    if (Math.abs(sum - 1) > MAY_MISS) {
      throw entry.error("must have probabilities that sum to 1, but they sum to " + (float) sum);
    }
  }
}
