package io.poolkeeper.testbed.load;

/**
 * Loads that must come to their own end, after phases of a real length. A machine that stands still
 * for as long as a phase leaves nothing of it to look at; then the load is run again, twice as
 * long.
 */
final class RealLength {

  private static final int LONGEST = 32;

  private RealLength() {}

  /** One run of a load. */
  @FunctionalInterface
  interface Attempt {

    /**
     * Runs the load and checks what came of it.
     *
     * @param factor by which its phases are longer than they have to be
     * @return false, with nothing checked, if what the test is about did not happen in the phases
     */
    boolean run(int factor) throws Exception;
  }

  /** Runs a load until one was long enough. */
  static void repeat(Attempt attempt) throws Exception {
    for (int factor = 1; factor <= LONGEST; factor *= 2) {
      if (attempt.run(factor)) {
        return;
      }
    }
    throw new AssertionError("nothing to look at in a load %d times as long".formatted(LONGEST));
  }
}
