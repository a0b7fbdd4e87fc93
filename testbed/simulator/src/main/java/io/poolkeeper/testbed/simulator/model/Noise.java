package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Require;
import java.util.List;

/**
 * Disturbance that makes a station faster or slower in a way that has nothing to do with its tasks.
 * Several noises of one station multiply. Each has random numbers of its own, so that two runs that
 * differ in a pool's size see the same noise.
 */
public sealed interface Noise {

  /**
   * Speed that wanders around 1: lognormal with mean 1, its logarithm an autoregression of first
   * order, one step an interval, constant in between.
   *
   * @param deviation standard deviation of the speed, such as 0.08
   * @param correlation of two intervals that follow each other, 0 to below 1
   * @param interval seconds
   */
  record Wander(double deviation, double correlation, double interval) implements Noise {
    public Wander {
      Require.positive("deviation of a wandering speed", deviation);
      Require.fraction("correlation of a wandering speed", correlation);
      Require.positive("interval of a wandering speed", interval);
      if (correlation == 1) {
        throw new IllegalArgumentException(
            "correlation of a wandering speed must be < 1, but is " + correlation);
      }
    }
  }

  /**
   * Drops now and then to a fraction of the speed.
   *
   * @param remaining speed during a drop, 0 to 1; 0.3 is a drop of 70 %
   * @param between from the end of a drop to the next, seconds
   * @param lasting length of a drop, seconds
   */
  record Drops(double remaining, Distribution between, Distribution lasting) implements Noise {
    public Drops {
      Require.fraction("speed that remains during a drop", remaining);
      Require.positive("mean time between drops", between.mean());
    }
  }

  /**
   * Garbage collections that stop the station while all its cores collect. The windows of the
   * tier's workers show them as {@link io.poolkeeper.Window#gc}, counted when they begin, and in
   * the CPU time of the process. What threads wait for elsewhere, at another station or in a sleep,
   * goes on.
   *
   * @param between from the end of a pause to the next, seconds
   * @param lasting length of a pause, seconds, while no worker is busy
   * @param growth by how much each busy worker of the tier lengthens a pause, as a fraction of it;
   *     0 or more
   */
  record GcPauses(Distribution between, Distribution lasting, double growth) implements Noise {
    public GcPauses {
      Require.positive("mean time between pauses", between.mean());
      Require.notNegative("growth of a pause by a busy worker", growth);
    }
  }

  /**
   * Speed that rises from the start on, as of code that is being compiled or a cache that fills:
   * its logarithm in a straight line up to 0, in steps of {@link #WARM_UP_STEP_SECONDS}.
   *
   * @param from speed at the start, above 0 and below 1
   * @param lasting seconds until it is 1
   */
  record WarmUp(double from, double lasting) implements Noise {
    public WarmUp {
      Require.positive("speed at the start of a warm-up", from);
      Require.fraction("speed at the start of a warm-up", from);
      Require.positive("length of a warm-up", lasting);
    }
  }

  /**
   * Speeds in the order in which they were recorded, again from the first one after the last.
   *
   * @param speeds one or more, each 0 or more and finite
   * @param interval seconds for which each is in force
   */
  record Replay(List<Double> speeds, double interval) implements Noise {
    public Replay {
      speeds = List.copyOf(speeds);
      if (speeds.isEmpty()) {
        throw new IllegalArgumentException("speeds to replay must be one or more, but are none");
      }
      speeds.forEach(speed -> Require.notNegative("speed to replay", speed));
      Require.positive("interval of speeds to replay", interval);
    }
  }

  /** While a station warms up its speed is constant for so long. */
  double WARM_UP_STEP_SECONDS = 0.25;

  /** A speed that wanders by {@code deviation} with a correlation of 0.3 between seconds. */
  static Noise wander(double deviation) {
    return new Wander(deviation, 0.3, 1);
  }

  /** Drops of 70 % for a second, {@code between} seconds apart in the mean. */
  static Noise drops(double between) {
    return new Drops(0.3, Distribution.exponential(between), Distribution.constant(1));
  }

  /** Pauses of a constant length at random times. */
  static Noise gcPauses(double between, double lasting) {
    return new GcPauses(Distribution.exponential(between), Distribution.constant(lasting), 0);
  }
}
