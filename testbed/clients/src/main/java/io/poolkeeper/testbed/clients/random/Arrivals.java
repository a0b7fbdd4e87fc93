package io.poolkeeper.testbed.clients.random;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * The arrivals of a description, one after the other. They depend on the description and the random
 * numbers alone and not on what becomes of those who arrive, so two of the same seed are the same.
 *
 * <p>Times are seconds since the load began. Not safe for several threads.
 */
public final class Arrivals {

  private final List<Phase> phases;
  private final Pattern pattern;
  private final UniformRandomProvider random;
  private final ContinuousSampler exponential;

  private int phase = -1;
  private double phaseStart;
  private double phaseEnd;
  private boolean burst;
  private double burstEnd;

  /** Time of the last arrival, or of the end of a phase or burst after it. */
  private double at;

  /** Arrivals of this phase so far, batches counting once. */
  private long inPhase;

  private int size;

  /** All arrivals of {@code clients}; {@link #next} goes to the first. */
  public Arrivals(Clients.Arriving clients, UniformRandomProvider random) {
    phases = clients.phases();
    pattern = clients.pattern();
    this.random = random;
    exponential = ZigguratSampler.Exponential.of(random);
  }

  /**
   * Goes on to the next arrival.
   *
   * @return whether there is one
   */
  public boolean next() {
    while (at < phaseEnd || nextPhase()) {
      if (pattern instanceof Pattern.Bursty bursty && at >= burstEnd) {
        // The first stretch is a quiet one.
        burst = burstEnd > 0 && !burst;
        burstEnd = at + exponential.sample() * (burst ? bursty.burst() : bursty.quiet());
      }
      double next = gap();
      double change = pattern instanceof Pattern.Bursty ? Math.min(phaseEnd, burstEnd) : phaseEnd;
      // Another phase or burst on the way begins the waiting anew.
      at = Math.min(next, change);
      if (next < change) {
        inPhase++;
        size = batch();
        return true;
      }
      if (current().most() == 0 && phaseEnd == Double.POSITIVE_INFINITY) {
        at = phaseEnd;
      }
    }
    return false;
  }

  /** When the current arrival is. */
  public double at() {
    return at;
  }

  /** Returns how many arrive at that instant, 1 or more. */
  public int size() {
    return size;
  }

  private boolean nextPhase() {
    if (phase + 1 == phases.size()) {
      return false;
    }
    phase++;
    inPhase = 0;
    phaseStart = phaseEnd;
    at = phaseStart;
    phaseEnd += phases.get(phase).seconds();
    return true;
  }

  private Phase current() {
    return phases.get(phase);
  }

  /**
   * When the next would arrive if this phase and this burst went on for ever. Along a ramp too this
   * is exact: the sum of the rate until the next arrival is exponential, or one, and is inverted
   * (time rescaling [1]).
   *
   * <p>[1] E. N. Brown and others, The time-rescaling theorem and its application to neural spike
   * train data analysis, Neural Computation 14, 2002.
   */
  private double gap() {
    Phase now = current();
    if (now.most() == 0) {
      return Double.POSITIVE_INFINITY;
    }
    if (pattern instanceof Pattern.Constant) {
      // Not from one to the next: rounding errors would move arrivals over the edges of seconds.
      return inPhase < now.sum(now.seconds())
          ? phaseStart + now.wait(0, (double) inPhase)
          : Double.POSITIVE_INFINITY;
    }
    double factor = 1;
    if (pattern instanceof Pattern.Batches batches) {
      factor = 1 / batches.meanSize();
    } else if (pattern instanceof Pattern.Bursty bursty) {
      factor = burst ? bursty.peak() : bursty.low();
    }
    return factor > 0
        ? at + now.wait(at - phaseStart, exponential.sample() / factor)
        : Double.POSITIVE_INFINITY;
  }

  private int batch() {
    if (!(pattern instanceof Pattern.Batches batches) || batches.meanSize() == 1) {
      return 1;
    }
    double more = 1 - 1 / batches.meanSize();
    return 1 + (int) (Math.log(1 - random.nextDouble()) / Math.log(more));
  }
}
