package io.poolkeeper.testbed.simulator.engine;

import io.poolkeeper.testbed.simulator.engine.event.Actor;
import io.poolkeeper.testbed.simulator.engine.event.Randoms;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.engine.pool.Replica;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import io.poolkeeper.testbed.simulator.engine.station.SharingServer;
import io.poolkeeper.testbed.simulator.model.Noise;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/** One noise of a station in a run; all noises of the station multiply. */
abstract class Disturbance implements Actor {

  private final SharingServer server;
  private final List<Disturbance> all;
  private double speed = 1;

  /**
   * @param all the noises of the station, this one among them
   */
  private Disturbance(SharingServer server, List<Disturbance> all) {
    this.server = server;
    this.all = all;
  }

  static Disturbance of(
      Noise noise,
      SharingServer server,
      Replica replica,
      List<Disturbance> all,
      Randoms randoms,
      String use) {
    if (noise instanceof Noise.Wander wander) {
      return new Wandering(wander, server, all, randoms.stream(use));
    } else if (noise instanceof Noise.Drops drops) {
      return new Dropping(
          drops.remaining(),
          randoms.sampler(drops.between(), use + " between"),
          randoms.sampler(drops.lasting(), use + " lasting"),
          server,
          all);
    }
    if (noise instanceof Noise.WarmUp warmUp) {
      return new WarmingUp(warmUp, server, all);
    }
    if (noise instanceof Noise.Replay replay) {
      return new Replaying(replay, server, all);
    }
    Noise.GcPauses pauses = (Noise.GcPauses) noise;
    return new Collecting(
        pauses,
        randoms.sampler(pauses.between(), use + " between"),
        randoms.sampler(pauses.lasting(), use + " lasting"),
        replica,
        server,
        all);
  }

  final void speed(double factor, long now) {
    speed = factor;
    double product = 1;
    for (Disturbance each : all) {
      product *= each.speed;
    }
    server.noise(product, now);
  }

  private static final class Wandering extends Disturbance {
    private final ContinuousSampler normal;
    private final double correlation;
    private final double innovation;
    private final double variance;
    private final long interval;
    private double level;

    Wandering(
        Noise.Wander wander,
        SharingServer server,
        List<Disturbance> all,
        UniformRandomProvider random) {
      super(server, all);
      normal = ZigguratSampler.NormalizedGaussian.of(random);
      correlation = wander.correlation();
      variance = Math.log1p(wander.deviation() * wander.deviation());
      innovation = Math.sqrt(variance * (1 - correlation * correlation));
      interval = Math.max(1, Time.nanos(wander.interval()));
      level = normal.sample() * Math.sqrt(variance);
    }

    @Override
    public long act(long now) {
      speed(Math.exp(level - variance / 2), now);
      level = correlation * level + innovation * normal.sample();
      return now + interval;
    }
  }

  private static final class WarmingUp extends Disturbance {
    private final Noise.WarmUp warmUp;

    WarmingUp(Noise.WarmUp warmUp, SharingServer server, List<Disturbance> all) {
      super(server, all);
      this.warmUp = warmUp;
    }

    @Override
    public long act(long now) {
      double left = Math.max(0, 1 - now / 1e9 / warmUp.lasting());
      speed(Math.pow(warmUp.from(), left), now);
      return left == 0 ? Time.NEVER : now + Time.nanos(Noise.WARM_UP_STEP_SECONDS);
    }
  }

  private static final class Replaying extends Disturbance {
    private final double[] speeds;
    private final long interval;
    private int next;

    Replaying(Noise.Replay replay, SharingServer server, List<Disturbance> all) {
      super(server, all);
      speeds = replay.speeds().stream().mapToDouble(Double::doubleValue).toArray();
      interval = Math.max(1, Time.nanos(replay.interval()));
    }

    @Override
    public long act(long now) {
      speed(speeds[next], now);
      next = (next + 1) % speeds.length;
      return now + interval;
    }
  }

  private static class Dropping extends Disturbance {
    private final double remaining;
    private final ContinuousSampler between;
    private final ContinuousSampler lasting;
    private boolean begun;
    private boolean dropped;

    Dropping(
        double remaining,
        ContinuousSampler between,
        ContinuousSampler lasting,
        SharingServer server,
        List<Disturbance> all) {
      super(server, all);
      this.remaining = remaining;
      this.between = between;
      this.lasting = lasting;
    }

    double length() {
      return lasting.sample();
    }

    void ended(long length) {}

    @Override
    public long act(long now) {
      if (!begun) {
        begun = true;
        return now + Time.nanos(between.sample());
      }
      dropped = !dropped;
      speed(dropped ? remaining : 1, now);
      if (dropped) {
        long length = Time.nanos(length());
        ended(length);
        return now + length;
      }
      return now + Math.max(1, Time.nanos(between.sample()));
    }
  }

  private static final class Collecting extends Dropping {
    private final Replica replica;
    private final double growth;

    Collecting(
        Noise.GcPauses pauses,
        ContinuousSampler between,
        ContinuousSampler lasting,
        Replica replica,
        SharingServer server,
        List<Disturbance> all) {
      super(0, between, lasting, server, all);
      this.replica = replica;
      growth = pauses.growth();
    }

    @Override
    double length() {
      SimulatedPool workers = replica.workers;
      int busy = workers == null ? replica.requests : workers.busy();
      return super.length() * (1 + growth * busy);
    }

    @Override
    void ended(long length) {
      replica.collected += length;
    }
  }
}
