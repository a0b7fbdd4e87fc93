package io.poolkeeper.testbed.applications;

/**
 * CPU work: is a number prime? Trial division by every number from 2 up, until one divides (Costa
 * 2019, section 3.3 and appendix A.7): a prime costs as many divisions as it is large, most other
 * numbers a few, so response times differ by orders of magnitude within one run.
 */
final class Prime implements Application {

  private final int low;
  private final int high;
  private final Draws draws;

  /** Draws from {@code low} to {@code high}, both included, with equal probability. */
  Prime(int low, int high, Draws draws) {
    this.low = low;
    this.high = high;
    this.draws = draws;
  }

  @Override
  public String answer() {
    return Boolean.toString(isPrime(draws.between(low, high)));
  }

  static boolean isPrime(int number) {
    for (int i = 2; i < number; i++) {
      if (number % i == 0) {
        return false;
      }
    }
    return true;
  }
}
