package io.poolkeeper.testbed.controllers.peers;

/** The standard normal distribution. */
final class Normal {

  private Normal() {}

  /**
   * The probability of a value below {@code z}, with an error below 1e-7 (Zelen and Severo 1964,
   * formula 26.2.17).
   */
  static double below(double z) {
    if (z < 0) {
      return 1 - below(-z);
    }
    double t = 1 / (1 + 0.231_641_9 * z);
    double polynomial =
        t
            * (0.319_381_530
                + t
                    * (-0.356_563_782
                        + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    return 1 - Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * polynomial;
  }
}
