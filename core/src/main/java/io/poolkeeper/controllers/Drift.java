package io.poolkeeper.controllers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * How far the level of all sizes has moved lately: a just-in-time compiler or a cache that warms up
 * makes every size better, and a window at one of them must not be taken for the merit of that one.
 *
 * <p>The logarithm of the level is a random walk of unknown pace. A few paces are followed side by
 * side, each by a Kalman filter [1], and weighed by how well they foretold the windows (multiple
 * models, [2]). Where nothing drifts the slowest wins, and the level stands still.
 *
 * <p>[1] Kalman, A new approach to linear filtering and prediction problems, Journal of Basic
 * Engineering 82, 1960. [2] Magill, Optimal adaptive estimation of sampled stochastic processes,
 * IEEE Transactions on Automatic Control 10, 1965.
 *
 * @param tracks one for each pace
 */
public record Drift(List<Track> tracks) {

  /** Variance of the logarithm of the level that a second adds, of each track. */
  private static final double[] PACE = {3e-6, 3e-4, 5e-3};

  /** Work that has been the same for so many seconds drifts at half the pace. */
  private static final double CALM_SECONDS = 60;

  /** Track records of how well paces foretold windows fade to a third in so many seconds. */
  private static final double MEMORY_SECONDS = 15;

  /** Square of the standard deviations of one window, so that no outlier decides. */
  private static final double CLIP = 9;

  /** Nothing has moved. */
  static final Drift NONE =
      new Drift(List.of(new Track(0, 0, 0), new Track(0, 0, 0), new Track(0, 0, 0)));

  /** Copies {@code tracks}. */
  public Drift {
    tracks = List.copyOf(tracks);
  }

  /**
   * What one pace says.
   *
   * @param offset expected movement that has not been taken over yet, a logarithm
   * @param variance of the offset
   * @param merit logarithm of the likelihood of the windows of late
   */
  public record Track(double offset, double variance, double merit) {}

  /**
   * After so many seconds about which nothing is known.
   *
   * @param age seconds for which the work has been the same before
   */
  Drift after(double seconds, double age) {
    double pace = CALM_SECONDS / (CALM_SECONDS + age);
    double keep = StrictMath.exp(-seconds / MEMORY_SECONDS);
    List<Track> later = new ArrayList<>(tracks.size());
    for (int i = 0; i < tracks.size(); i++) {
      Track one = tracks.get(i);
      later.add(new Track(one.offset, one.variance + PACE[i] * pace * seconds, keep * one.merit));
    }
    return new Drift(later);
  }

  /**
   * After a window.
   *
   * @param above logarithm of what it was above what the level so far let expect
   * @param doubt variance of that apart from drift: noise, and what is not known of the curve
   */
  Drift seen(double above, double doubt) {
    List<Track> later = new ArrayList<>(tracks.size());
    for (Track one : tracks) {
      double off = above - one.offset;
      double variance = one.variance + doubt;
      double square = off * off / variance;
      double gain = one.variance / variance * Math.min(1, CLIP / Math.max(CLIP, square));
      later.add(
          new Track(
              one.offset + gain * off,
              one.variance * (1 - gain),
              one.merit - (Math.min(CLIP, square) + StrictMath.log(variance)) / 2));
    }
    return new Drift(later);
  }

  private double[] weights() {
    double best = tracks.stream().mapToDouble(Track::merit).max().orElse(0);
    double[] weights =
        tracks.stream().mapToDouble(one -> StrictMath.exp(one.merit - best)).toArray();
    double sum = DoubleStream.of(weights).sum();
    return DoubleStream.of(weights).map(one -> one / sum).toArray();
  }

  /** Expected movement since it was last taken over. */
  double offset() {
    double[] weights = weights();
    double mean = 0;
    for (int i = 0; i < weights.length; i++) {
      mean += weights[i] * tracks.get(i).offset;
    }
    return mean;
  }

  /** Variance of the level. */
  double variance() {
    double[] weights = weights();
    double mean = offset();
    double variance = 0;
    for (int i = 0; i < weights.length; i++) {
      Track one = tracks.get(i);
      variance += weights[i] * (one.variance + (one.offset - mean) * (one.offset - mean));
    }
    return variance;
  }

  /** The same once {@code offset} has been taken over into what is known. */
  Drift without(double offset) {
    return new Drift(
        tracks.stream()
            .map(one -> new Track(one.offset - offset, one.variance, one.merit))
            .toList());
  }
}
