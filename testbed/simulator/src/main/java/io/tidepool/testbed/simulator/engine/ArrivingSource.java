package io.tidepool.testbed.simulator.engine;

import io.tidepool.testbed.simulator.model.Clients;
import io.tidepool.testbed.simulator.model.Pattern;
import io.tidepool.testbed.simulator.model.Phase;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * Arrivals of requests or sessions. A session in thought is nothing but its entry on the calendar:
 * the number of the client there is the request that it will send.
 */
final class ArrivingSource extends Source {

  private final List<Phase> phases;
  private final Pattern pattern;
  private final ContinuousSampler thinkTime;
  private final UniformRandomProvider random;
  private final ContinuousSampler exponential;

  private int phase = -1;
  private double phaseStart;
  private double phaseEnd;
  private boolean burst;
  private double burstEnd;

  /** Time of the next arrival, or of the end of the phase or burst if that is earlier; seconds. */
  private double at;

  private boolean arrives;

  /** Arrivals of this phase so far. */
  private long arrivals;

  ArrivingSource(
      Clients.Arriving clients,
      int number,
      int firstClient,
      Flow flow,
      List<Target> targets,
      List<RequestMeter> meters,
      RequestChoice choice,
      ContinuousSampler thinkTime,
      UniformRandomProvider random) {
    super(number, firstClient, flow, targets, meters, choice);
    this.phases = clients.phases();
    this.pattern = clients.pattern();
    this.thinkTime = thinkTime;
    this.random = random;
    exponential = ZigguratSampler.Exponential.of(random);
  }

  @Override
  public long act(long now) {
    if (arrives) {
      int batch = batch();
      for (int i = 0; i < batch; i++) {
        int request = choice.first();
        send(request, request, now);
      }
      arrivals++;
    }
    return plan();
  }

  /** Finds the next arrival; a change of rate on the way begins the waiting anew. */
  private long plan() {
    if (at >= phaseEnd && !nextPhase()) {
      return Time.NEVER;
    }
    if (pattern instanceof Pattern.Bursty bursty && at >= burstEnd) {
      // The first stretch is a quiet one.
      burst = burstEnd > 0 && !burst;
      burstEnd = at + exponential.sample() * (burst ? bursty.burst() : bursty.quiet());
    }
    double next = nextArrival();
    double change = pattern instanceof Pattern.Bursty ? Math.min(phaseEnd, burstEnd) : phaseEnd;
    arrives = next < change;
    at = Math.min(next, change);
    return Time.nanos(at);
  }

  private boolean nextPhase() {
    phase++;
    arrivals = 0;
    if (phase == phases.size()) {
      arrives = false;
      return false;
    }
    phaseStart = phaseEnd;
    at = phaseStart;
    phaseEnd += phases.get(phase).seconds();
    return true;
  }

  private double nextArrival() {
    double rate = phases.get(phase).level();
    if (rate == 0) {
      return Double.POSITIVE_INFINITY;
    }
    if (pattern instanceof Pattern.Even) {
      // Not from one to the next: rounding errors would move arrivals over the edges of seconds.
      return phaseStart + arrivals / rate;
    } else if (pattern instanceof Pattern.Batches batches) {
      rate /= batches.meanSize();
    } else if (pattern instanceof Pattern.Bursty bursty) {
      rate *= burst ? bursty.peak() : bursty.low();
    }
    return rate > 0 ? at + exponential.sample() / rate : Double.POSITIVE_INFINITY;
  }

  private int batch() {
    if (!(pattern instanceof Pattern.Batches batches) || batches.meanSize() == 1) {
      return 1;
    }
    double more = 1 - 1 / batches.meanSize();
    return 1 + (int) (Math.log(1 - random.nextDouble()) / Math.log(more));
  }

  @Override
  void wake(int request, long now) {
    send(request, request, now);
  }

  @Override
  void proceed(int client, int request, boolean failed, long now) {
    int next = choice.next(request);
    if (next != RequestChoice.END) {
      wakeAt(next, now + Time.nanos(thinkTime.sample()));
    }
  }
}
