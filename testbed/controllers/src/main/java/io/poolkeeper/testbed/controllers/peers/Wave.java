package io.poolkeeper.testbed.controllers.peers;

import java.util.List;

/**
 * The part of a series that swings with one period: amplitude and phase as a complex number.
 *
 * @param real cosine part
 * @param imaginary sine part
 */
record Wave(double real, double imaginary) {

  /**
   * The component of {@code series} of this period, by Goertzel's algorithm, divided by the number
   * of samples.
   *
   * @param period in samples, above 2; need not be whole
   */
  static Wave of(List<Double> series, double period) {
    double angle = 2 * Math.PI / period;
    double coefficient = 2 * Math.cos(angle);
    double last = 0;
    double beforeLast = 0;
    for (double sample : series) {
      double next = coefficient * last - beforeLast + sample;
      beforeLast = last;
      last = next;
    }
    int count = series.size();
    return new Wave(
        (last - beforeLast * Math.cos(angle)) / count, beforeLast * Math.sin(angle) / count);
  }

  Wave times(double factor) {
    return new Wave(real * factor, imaginary * factor);
  }

  Wave minus(Wave other) {
    return new Wave(real - other.real, imaginary - other.imaginary);
  }

  /** The real part of this divided by {@code other}, which is not zero. */
  double realRatio(Wave other) {
    double square = other.real * other.real + other.imaginary * other.imaginary;
    return (real * other.real + imaginary * other.imaginary) / square;
  }

  double magnitude() {
    return Math.hypot(real, imaginary);
  }
}
