package io.poolkeeper.testbed.simulator.engine.event;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.random.Samplers;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The random numbers of a run: for each use a stream of its own, which depends on the seed and the
 * use's name. So two runs of one seed that differ in a controller have the same arrivals, and a
 * further tier changes nothing for the others (common random numbers).
 *
 * <p>A seed gives the same numbers everywhere, but for the last bit of logarithms and exponentials,
 * which {@link Math} leaves to the processor.
 */
public final class Randoms {

  private final long seed;

  public Randoms(long seed) {
    this.seed = seed;
  }

  public UniformRandomProvider stream(String use) {
    // FNV-1a with 64 bits: names of uses are short, and their streams must differ.
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < use.length(); i++) {
      hash = (hash ^ use.charAt(i)) * 0x100000001b3L;
    }
    // The source spreads this over its state with SplitMix.
    return RandomSource.XO_SHI_RO_256_PP.create(seed * 0x9e3779b97f4a7c15L ^ hash);
  }

  public ContinuousSampler sampler(Distribution of, String use) {
    return Samplers.of(of, stream(use));
  }
}
