package io.poolkeeper.testbed.clients.random;

import io.poolkeeper.testbed.clients.Distribution;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ContinuousUniformSampler;
import org.apache.commons.rng.sampling.distribution.LogNormalSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/** Makes samplers of distributions. */
public final class Samplers {

  private Samplers() {}

  /** A sampler that draws from {@code random}; a constant needs none of it. */
  public static ContinuousSampler of(Distribution of, UniformRandomProvider random) {
    if (of instanceof Distribution.Constant constant) {
      double value = constant.value();
      return () -> value;
    } else if (of instanceof Distribution.Exponential exponential) {
      return ZigguratSampler.Exponential.of(random, exponential.mean());
    } else if (of instanceof Distribution.Uniform uniform) {
      return ContinuousUniformSampler.of(random, uniform.minimum(), uniform.maximum());
    } else if (of instanceof Distribution.LogNormal logNormal) {
      double variance = Math.log1p(logNormal.scv());
      return LogNormalSampler.of(
          ZigguratSampler.NormalizedGaussian.of(random),
          Math.log(logNormal.mean()) - variance / 2,
          Math.sqrt(variance));
    }
    throw new AssertionError(of);
  }
}
