package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Recent movement of the level of all sizes: a just-in-time compiler or a cache that warms up makes
 * every size better, and a window at one of them must not be taken for the merit of that size.
 *
 * <p>The logarithm of the level is a random walk of unknown pace. A few paces are followed in
 * parallel, each by a Kalman filter [1], and weighed by their predictions (multiple models, [2]).
 * Where nothing drifts the slowest wins, and the level stands still.
 *
 * <p>[1] Kalman, A new approach to linear filtering and prediction problems, Journal of Basic
 * Engineering 82, 1960. [2] Magill, Optimal adaptive estimation of sampled stochastic processes,
 * IEEE Transactions on Automatic Control 10, 1965.
 *
 * @param tracks one for each pace
 */
record Drift(List<Track> tracks) {

  /** Variance of the logarithm of the level that a second adds, of each track. */
  private static final double[] PACE = {Tuning.DRIFT_SLOW, Tuning.DRIFT_MIDDLE, Tuning.DRIFT_FAST};

  static final Drift NONE =
      new Drift(List.of(new Track(0, 0, 0), new Track(0, 0, 0), new Track(0, 0, 0)));

  Drift {
    tracks = List.copyOf(tracks);
  }

  /**
   * Estimate of the movement for a pace.
   *
   * @param offset expected movement that has not been taken over yet, a logarithm
   * @param variance of the offset
   * @param merit logarithm of the likelihood of recent windows
   */
  record Track(double offset, double variance, double merit) {}

  /**
   * Lets time pass without a window.
   *
   * @param age seconds for which the work has been the same before
   */
  Drift afterSeconds(double seconds, double age) {
    double pace = Tuning.DRIFT_CALM_SECONDS / (Tuning.DRIFT_CALM_SECONDS + age);
    double keep = StrictMath.exp(-seconds / Tuning.DRIFT_MEMORY_SECONDS);
    List<Track> later = new ArrayList<>(tracks.size());
    for (int i = 0; i < tracks.size(); i++) {
      Track track = tracks.get(i);
      double variance = track.variance + PACE[i] * pace * seconds;
      later.add(new Track(track.offset, variance, keep * track.merit));
    }
    return new Drift(later);
  }

  /**
   * Follows a window.
   *
   * @param surprise logarithm of the level minus the expectation without drift
   * @param doubt variance of the surprise apart from drift: noise, and uncertainty of the curve
   */
  Drift afterWindow(double surprise, double doubt) {
    List<Track> later = new ArrayList<>(tracks.size());
    for (Track track : tracks) {
      double error = surprise - track.offset;
      double variance = track.variance + doubt;
      double square = error * error / variance;
      double gain =
          track.variance
              / variance
              * Math.min(1, Tuning.DRIFT_CLIP / Math.max(Tuning.DRIFT_CLIP, square));
      later.add(
          new Track(
              track.offset + gain * error,
              track.variance * (1 - gain),
              track.merit - (Math.min(Tuning.DRIFT_CLIP, square) + StrictMath.log(variance)) / 2));
    }
    return new Drift(later);
  }

  private double[] weights() {
    double best = tracks.stream().mapToDouble(Track::merit).max().orElse(0);
    double[] weights =
        tracks.stream().mapToDouble(track -> StrictMath.exp(track.merit - best)).toArray();
    double sum = DoubleStream.of(weights).sum();
    return DoubleStream.of(weights).map(weight -> weight / sum).toArray();
  }

  /** Returns the expected movement since it was last taken over. */
  double offset() {
    double[] weights = weights();
    double mean = 0;
    for (int i = 0; i < weights.length; i++) {
      mean += weights[i] * tracks.get(i).offset;
    }
    return mean;
  }

  /** Returns the variance of the level. */
  double variance() {
    double[] weights = weights();
    double mean = offset();
    double variance = 0;
    for (int i = 0; i < weights.length; i++) {
      Track track = tracks.get(i);
      variance += weights[i] * (track.variance + (track.offset - mean) * (track.offset - mean));
    }
    return variance;
  }

  /** Takes out an offset that has been taken over into the knowledge. */
  Drift without(double offset) {
    return new Drift(
        tracks.stream()
            .map(track -> new Track(track.offset - offset, track.variance, track.merit))
            .toList());
  }
}
