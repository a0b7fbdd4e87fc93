package io.tidepool.testbed.tunnel.flight;

/**
 * What disturbs a plant, independent of what its pool does: two runs with one seed are disturbed in
 * the same way.
 */
public enum Noise {
  /** Nothing but the chance of each task's work and of its arrival. */
  NONE("none", "only the chance of each task"),
  /**
   * Every second the rate is multiplied by a lognormal number of mean 1, a first-order
   * autoregression, with a standard deviation of {@link #DEVIATION} and a correlation of {@link
   * #CORRELATION} with the second before.
   */
  WANDERING("8%", "the rate wanders by 8 %, autocorrelated"),
  /** The rate falls to 30 % for a second, on average every {@link #DROP_EVERY_SECONDS}. */
  DROPS("drops", "the rate falls by 70 % for a second, every 50 s on average"),
  /** Everything stops for 50 to 250 ms, on average every {@link #PAUSE_EVERY_SECONDS}. */
  PAUSES("pauses", "garbage collection stops everything for 50 to 250 ms, every 4 s on average"),
  /**
   * The rate rises from {@link #COLD} to 1 over {@link #WARM_UP_SECONDS} and wanders as in {@link
   * #WANDERING}: a virtual machine that compiles its program, whatever the size of the pool.
   */
  WARM_UP("warm-up", "the rate rises by 2.5 times in the first 30 s, and wanders by 8 %");

  static final double DEVIATION = 0.08;
  static final double CORRELATION = 0.3;
  static final double DROP_EVERY_SECONDS = 50;
  static final double DROP_SECONDS = 1;
  static final double DROP_REMAINS = 0.3;
  static final double PAUSE_EVERY_SECONDS = 4;
  static final double SHORTEST_PAUSE_SECONDS = 0.05;
  static final double LONGEST_PAUSE_SECONDS = 0.25;
  static final double COLD = 0.4;
  static final double WARM_UP_SECONDS = 30;

  private final String word;
  private final String title;

  Noise(String word, String title) {
    this.word = word;
    this.title = title;
  }

  /** Its name in configurations. */
  public String word() {
    return word;
  }

  /** What it does, for a reader who sees it first. */
  public String title() {
    return title;
  }
}
