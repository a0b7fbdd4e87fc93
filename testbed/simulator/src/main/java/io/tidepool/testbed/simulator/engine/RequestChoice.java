package io.tidepool.testbed.simulator.engine;

import io.tidepool.testbed.simulator.model.Requests;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;

/** Chooses the next request of a client, by number. */
final class RequestChoice {

  /** The session has ended. */
  static final int END = -1;

  private final UniformRandomProvider random;
  private final boolean chain;
  private final double staying;
  private final int first;

  /** For each request, or once for all, the sums of the probabilities of what follows. */
  private final double[][] sums;

  /**
   * @param names all requests; their places are their numbers
   * @param staying probability that a session goes on; not used with a chain
   */
  RequestChoice(
      Requests requests, List<String> names, double staying, UniformRandomProvider random) {
    this.random = random;
    this.staying = staying;
    if (requests instanceof Requests.Chain of) {
      chain = true;
      first = names.indexOf(of.first());
      sums = new double[names.size()][];
      for (int i = 0; i < names.size(); i++) {
        sums[i] = sums(names, of.next().getOrDefault(names.get(i), Map.of()));
      }
    } else {
      chain = false;
      first = 0;
      sums = new double[][] {sums(names, ((Requests.Mix) requests).probabilities())};
    }
  }

  private static double[] sums(List<String> names, Map<String, Double> probabilities) {
    double[] sums = new double[names.size()];
    double sum = 0;
    for (int i = 0; i < names.size(); i++) {
      sum += probabilities.getOrDefault(names.get(i), 0.0);
      sums[i] = sum;
    }
    if (!probabilities.containsKey(Requests.END)) {
      // A number close to 1 must not fall through a sum that was rounded.
      for (int i = names.size() - 1; i >= 0 && sums[i] == sum; i--) {
        sums[i] = Double.POSITIVE_INFINITY;
      }
    }
    return sums;
  }

  /** Whether what follows depends on the request before. */
  boolean isChain() {
    return chain;
  }

  /** First request of a session. */
  int first() {
    return chain ? first : draw(sums[0]);
  }

  /** Request that follows in a session, or {@link #END}. */
  int next(int request) {
    if (chain) {
      return draw(sums[request]);
    }
    return staying > 0 && random.nextDouble() < staying ? draw(sums[0]) : END;
  }

  private int draw(double[] sums) {
    if (sums.length == 1 && sums[0] == Double.POSITIVE_INFINITY) {
      return 0;
    }
    double at = random.nextDouble();
    for (int i = 0; i < sums.length; i++) {
      if (at < sums[i]) {
        return i;
      }
    }
    return END;
  }
}
