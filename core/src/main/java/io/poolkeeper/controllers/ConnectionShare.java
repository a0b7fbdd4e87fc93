package io.poolkeeper.controllers;

/**
 * Part of the threads at work that hold a connection, while all threads are busy. At one number of
 * threads it is a property of the work: where it becomes another, the limit has moved towards the
 * connections or away from them, as when the database gets slower. The curve over the threads has
 * another shape then, which its own height at one size does not tell.
 *
 * <p>The constants are judgement, held by tests in both directions: a database at half its speed is
 * seen, and steady work shows no other share. They were not varied.
 */
final class ConnectionShare {

  /** Change of the share, as a logarithm, that shows other work. */
  private static final double OTHER = 0.3;

  /** Factor between numbers of busy threads from which on shares are not compared. */
  private static final double OTHER_SIZE = 1.1;

  /** Windows after which a share is the usual one, or is measured at another number of threads. */
  private static final int SETTLED = 20;

  /** Windows in a row that show other work. */
  private static final int CONVINCED = 16;

  /** Windows over which the usual share is a mean at most. */
  private static final int MEMORY = 100;

  private double threads;
  private double usual;
  private int windows;
  private int windowsElsewhere;
  private int windowsChanged;

  /**
   * Adds a window in which all threads were busy, and requests ended.
   *
   * @return whether the work has changed; all is forgotten then
   */
  boolean changes(double busyThreads, double share) {
    if (!(busyThreads > 0 && share > 0) || !Double.isFinite(share)) {
      return false;
    }
    if (busyThreads > OTHER_SIZE * threads || OTHER_SIZE * busyThreads < threads) {
      windowsElsewhere++;
      if (windows == 0 || windowsElsewhere >= SETTLED) {
        forget();
        threads = busyThreads;
      }
      return false;
    }
    windowsElsewhere = 0;
    if (windows >= SETTLED && Math.abs(StrictMath.log(share / usual)) > OTHER) {
      windowsChanged++;
      if (windowsChanged >= CONVINCED) {
        forget();
        return true;
      }
      return false;
    }
    windowsChanged = 0;
    windows++;
    usual += (share - usual) / Math.min(windows, MEMORY);
    return false;
  }

  /** Forgets the usual share. */
  void forget() {
    threads = 0;
    windows = 0;
    windowsElsewhere = 0;
    windowsChanged = 0;
    usual = 0;
  }
}
