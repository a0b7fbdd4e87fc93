package io.poolkeeper;

/**
 * Number of interleavings that a test tries. The usual number is at least twice that which finds
 * the hardest of the faults that the test was tried with. The system property {@code
 * poolkeeper.tests.draws} multiplies it.
 */
public final class Draws {

  private static final double TIMES =
      Double.parseDouble(System.getProperty("poolkeeper.tests.draws", "1"));

  private Draws() {}

  /** Returns the number of draws. */
  public static int of(int usual) {
    return (int) Math.ceil(usual * TIMES);
  }
}
