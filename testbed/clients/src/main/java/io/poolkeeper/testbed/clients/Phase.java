package io.poolkeeper.testbed.clients;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time with one level of load, or a ramp: a level that changes along a straight line.
 *
 * @param seconds its length, positive; infinite only for one level
 * @param from number of closed users, or arrivals a second, at its beginning; 0 or more
 * @param to the same at its end
 * @param requests requests sent in it; null for those of the clients
 */
public record Phase(double seconds, double from, double to, @Nullable Requests requests) {

  public Phase {
    if (!(seconds > 0)) {
      throw new IllegalArgumentException("seconds of a phase must be > 0, but is " + seconds);
    }
    Require.notNegative("level of a phase", from);
    Require.notNegative("level of a phase", to);
    if (from != to) {
      Require.positive("seconds of a ramp", seconds);
    }
  }

  /** A level or a ramp with the requests of the clients. */
  public Phase(double seconds, double from, double to) {
    this(seconds, from, to, null);
  }

  /** One level. */
  public Phase(double seconds, double level) {
    this(seconds, level, level);
  }

  /** Returns the same phase with requests of its own. */
  public Phase sending(Requests requests) {
    return new Phase(seconds, from, to, requests);
  }

  /** One level for ever. */
  public static List<Phase> always(double level) {
    return List.of(new Phase(Double.POSITIVE_INFINITY, level));
  }

  static List<Phase> required(List<Phase> phases) {
    if (phases.isEmpty()) {
      throw new IllegalArgumentException("phases must not be empty");
    }
    return List.copyOf(phases);
  }

  /** Whether its level changes. */
  public boolean isRamp() {
    return from != to;
  }

  /** Its highest level. */
  public double most() {
    return Math.max(from, to);
  }

  /** The level {@code time} seconds after its beginning. */
  public double level(double time) {
    return isRamp() ? from + (to - from) * (time / seconds) : from;
  }

  /** Its level summed over its first {@code time} seconds: of a rate, the expected arrivals. */
  public double sum(double time) {
    return time * (from + level(time)) / 2;
  }

  /**
   * Returns the time from {@code time} on until the sum of the level has grown by {@code amount}:
   * {@link #sum} inverted. The line goes on beyond the end of the phase, down to 0.
   *
   * @param time seconds after its beginning
   * @param amount 0 or more
   * @return seconds; infinite if the sum never grows so far
   */
  public double wait(double time, double amount) {
    if (amount == 0) {
      return 0;
    }
    double level = level(time);
    // amount = level d + slope d^2 / 2, solved for d without a difference of like numbers. Of one
    // level it is amount / level to the last bit.
    double squared = level * level + 2 * amount * ((to - from) / seconds);
    double twice = level + Math.sqrt(Math.max(0, squared));
    return squared < 0 || twice == 0 ? Double.POSITIVE_INFINITY : 2 * amount / twice;
  }

  /** Returns the part between two times, in seconds after its beginning. */
  public Phase between(double start, double end) {
    return new Phase(end - start, level(start), level(end), requests);
  }
}
