package io.poolkeeper.testbed.clients.random;

import io.poolkeeper.testbed.clients.Requests;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;
import org.jspecify.annotations.Nullable;

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

  /** The same where there is nothing to go back to; null where nobody goes back. */
  private final double @Nullable [][] sumsWithoutBack;

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
      sumsWithoutBack = of.goesBack() ? new double[names.size()][] : null;
      for (int i = 0; i < names.size(); i++) {
        Map<String, Double> row = of.next().getOrDefault(names.get(i), Map.of());
        sums[i] = sums(names, row);
        if (sumsWithoutBack != null) {
          sumsWithoutBack[i] = sums(names, withoutBack(row));
        }
      }
    } else {
      sumsWithoutBack = null;
      chain = false;
      first = 0;
      sums = new double[][] {sums(names, ((Requests.Mix) requests).probabilities())};
    }
  }

  /** The row with the probability of going back divided among the others in proportion. */
  private static Map<String, Double> withoutBack(Map<String, Double> row) {
    double others = 1 - row.getOrDefault(Requests.BACK, 0.0);
    Map<String, Double> found = new HashMap<>();
    row.forEach(
        (name, probability) -> {
          if (!name.equals(Requests.BACK)) {
            found.put(name, probability / others);
          }
        });
    return found;
  }

  /** Sums up to each request, and then up to going back where the row has that. */
  private static double[] sums(List<String> names, Map<String, Double> probabilities) {
    double back = probabilities.getOrDefault(Requests.BACK, 0.0);
    double[] sums = new double[names.size() + (back > 0 ? 1 : 0)];
    double sum = 0;
    for (int i = 0; i < sums.length; i++) {
      sum += i == names.size() ? back : probabilities.getOrDefault(names.get(i), 0.0);
      sums[i] = sum;
    }
    if (!probabilities.containsKey(Requests.END)) {
      // A number close to 1 must not fall through a sum that was rounded.
      for (int i = sums.length - 1; i >= 0 && sums[i] == sum; i--) {
        sums[i] = Double.POSITIVE_INFINITY;
      }
    }
    return sums;
  }

  /** Whether what follows depends on the request before. */
  public boolean isChain() {
    return chain;
  }

  /** Whether clients need a {@link RequestHistory}. */
  public boolean goesBack() {
    return sumsWithoutBack != null;
  }

  /** First request of a session. */
  public int first(UniformRandomProvider random) {
    return chain ? first : draw(sums[0], random);
  }

  /**
   * Returns the request that follows in a session, or {@link #END}.
   *
   * @param history of the session, which this keeps; null where {@link #goesBack} is false
   */
  public int next(int request, @Nullable RequestHistory history, UniformRandomProvider random) {
    if (chain) {
      return history == null || sumsWithoutBack == null
          ? draw(sums[request], random)
          : next(request, history, sumsWithoutBack, random);
    }
    return staying > 0 && random.nextDouble() < staying ? draw(sums[0], random) : END;
  }

  private int next(
      int request, RequestHistory history, double[][] withoutBack, UniformRandomProvider random) {
    int next = draw((history.isEmpty() ? withoutBack : sums)[request], random);
    if (next == withoutBack.length) {
      return history.pop();
    }
    if (next == END) {
      history.clear();
    } else {
      history.push(request);
    }
    return next;
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
