package io.poolkeeper.testbed.clients;

/**
 * A distribution of amounts that are not negative: of times in seconds, or of work in the unit of
 * what does it. Samples are independent of each other.
 */
public sealed interface Distribution {

  /** Mean. */
  double mean();

  /** Squared coefficient of variation: variance over squared mean; 0 where the mean is 0. */
  double scv();

  /** Exponential: memoryless, scv 1. */
  static Distribution exponential(double mean) {
    return new Exponential(mean);
  }

  /** Always {@code value}. */
  static Distribution constant(double value) {
    return new Constant(value);
  }

  /** Uniform between two bounds. */
  static Distribution uniform(double minimum, double maximum) {
    return new Uniform(minimum, maximum);
  }

  /** Lognormal by its mean and squared coefficient of variation. */
  static Distribution lognormal(double mean, double scv) {
    return new LogNormal(mean, scv);
  }

  /**
   * Exponential.
   *
   * @param mean positive
   */
  record Exponential(double mean) implements Distribution {
    public Exponential {
      Require.positive("mean of an exponential distribution", mean);
    }

    @Override
    public double scv() {
      return 1;
    }
  }

  /**
   * One value.
   *
   * @param value 0 or more
   */
  record Constant(double value) implements Distribution {
    public Constant {
      Require.notNegative("value of a constant distribution", value);
    }

    @Override
    public double mean() {
      return value;
    }

    @Override
    public double scv() {
      return 0;
    }
  }

  /**
   * Uniform.
   *
   * @param minimum 0 or more
   * @param maximum {@code minimum} or more
   */
  record Uniform(double minimum, double maximum) implements Distribution {
    public Uniform {
      Require.notNegative("minimum of a uniform distribution", minimum);
      Require.notNegative("maximum of a uniform distribution", maximum);
      if (maximum < minimum) {
        throw new IllegalArgumentException(
            "maximum of a uniform distribution must be >= its minimum, but %s < %s"
                .formatted(maximum, minimum));
      }
    }

    @Override
    public double mean() {
      return (minimum + maximum) / 2;
    }

    @Override
    public double scv() {
      double width = maximum - minimum;
      return width == 0 ? 0 : width * width / 12 / (mean() * mean());
    }
  }

  /**
   * Lognormal: {@code exp} of a normal variate with variance {@code ln(1 + scv)}.
   *
   * @param mean positive
   * @param scv squared coefficient of variation, positive
   */
  record LogNormal(double mean, double scv) implements Distribution {
    public LogNormal {
      Require.positive("mean of a lognormal distribution", mean);
      Require.positive("scv of a lognormal distribution", scv);
    }
  }
}
