package io.poolkeeper.testbed.clients.random;

import io.poolkeeper.testbed.clients.Requests;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Chooses the next request of a client, by number, with random numbers that it is given, so that
 * one serves many clients.
 */
public final class RequestChoice {

  /** The session has ended. */
  public static final int END = -1;

  private final boolean chain;
  private final double staying;
  private final int first;

  /** For each request, or once for all, the sums of the probabilities of what follows. */
  private final double[][] sums;

  /**
   * The choices of those who send {@code requests}.
   *
   * @param names all requests; their places are their numbers
   * @param staying probability that a session goes on; not used with a chain
   */
  public RequestChoice(Requests requests, List<String> names, double staying) {
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
  public boolean isChain() {
    return chain;
  }

  /** First request of a session. */
  public int first(UniformRandomProvider random) {
    return chain ? first : draw(sums[0], random);
  }

  /** Request that follows in a session, or {@link #END}. */
  public int next(int request, UniformRandomProvider random) {
    if (chain) {
      return draw(sums[request], random);
    }
    return staying > 0 && random.nextDouble() < staying ? draw(sums[0], random) : END;
  }

  private static int draw(double[] sums, UniformRandomProvider random) {
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
