package io.poolkeeper.testbed.clients;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** The requests of a client, by name, one after the other. */
public sealed interface Requests {

  /** The state in which a session of a {@link Chain} ends. */
  String END = "end";

  /** The step of a {@link Chain} that sends the request before the last one again. */
  String BACK = "back";

  /** Names of all requests that occur. */
  Set<String> names();

  /** Always the same request. */
  static Requests of(String name) {
    return new Mix(Map.of(name, 1.0));
  }

  /** Independent choices; the probabilities sum to 1. */
  static Requests mix(Map<String, Double> probabilities) {
    return new Mix(probabilities);
  }

  /** A Markov chain; see {@link Chain}. */
  static Requests chain(String first, Map<String, Map<String, Double>> next) {
    return new Chain(first, next);
  }

  /**
   * Independent choices.
   *
   * @param probabilities of each request, summing to 1
   */
  record Mix(Map<String, Double> probabilities) implements Requests {
    public Mix {
      check("mix of requests", probabilities);
      probabilities = new LinkedHashMap<>(probabilities);
    }

    @Override
    public Set<String> names() {
      return probabilities.keySet();
    }
  }

  /**
   * A session as a Markov chain: the next request depends on the one before. A session that arrived
   * ends at {@link #END}, so that must be in reach; a closed user begins a new one after thinking,
   * or never, where the chain has no end.
   *
   * <p>{@link #BACK} returns to the request from which the client came to the last one, as the
   * button of a browser does: it is sent again, with parameters drawn anew, and what follows is
   * drawn from its row. So a session has a history, and the way back is the way that it came. At
   * the first request of a session there is nothing to return to; what follows is then drawn from
   * the other probabilities of its row.
   *
   * @param first the request that every session begins with
   * @param next for each request the probabilities of what follows, {@link #END} and {@link #BACK}
   *     among them, summing to 1
   */
  record Chain(String first, Map<String, Map<String, Double>> next) implements Requests {
    public Chain {
      Map<String, Map<String, Double>> copy = new LinkedHashMap<>();
      next.forEach(
          (from, row) -> {
            check("requests after '" + from + "'", row);
            copy.put(from, new LinkedHashMap<>(row));
          });
      Set<String> targets = new LinkedHashSet<>(Set.of(first));
      copy.values().forEach(row -> targets.addAll(row.keySet()));
      targets.remove(END);
      targets.remove(BACK);
      if (copy.containsKey(BACK)) {
        throw new IllegalArgumentException(
            "chain of requests must not name a request '%s', which stands for the one before"
                .formatted(BACK));
      }
      for (String target : targets) {
        if (!copy.containsKey(target)) {
          throw new IllegalArgumentException(
              "chain of requests must say what follows '%s', but knows only %s"
                  .formatted(target, copy.keySet()));
        }
      }
      if (copy.getOrDefault(first, Map.of()).getOrDefault(BACK, 0.0) >= 1) {
        throw new IllegalArgumentException(
            "chain of requests must say what follows '%s' where a session begins, but knows only '%s'"
                .formatted(first, BACK));
      }
      next = copy;
    }

    /** Whether clients have to remember what they have sent. */
    public boolean goesBack() {
      return next.keySet().stream().anyMatch(this::goesBack);
    }

    private boolean goesBack(String name) {
      return probability(name, BACK) > 0;
    }

    private double probability(String name, String following) {
      return next.getOrDefault(name, Map.of()).getOrDefault(following, 0.0);
    }

    @Override
    public Set<String> names() {
      return next.keySet();
    }

    /** The first request that a session can come to and from which it never comes to its end. */
    Optional<String> endless() {
      Set<String> there = reached(first);
      there.remove(END);
      Set<String> stuck = new LinkedHashSet<>();
      boolean grown;
      do {
        grown = false;
        for (String name : there) {
          if (!reached(name).contains(END) && !(goesBack(name) && leadsOut(name, there, stuck))) {
            grown |= stuck.add(name);
          }
        }
      } while (grown);
      return there.stream().filter(stuck::contains).findFirst();
    }

    /** Whether every request from which a session may have come to {@code name} goes on. */
    private boolean leadsOut(String name, Set<String> there, Set<String> stuck) {
      return !name.equals(first)
          && there.stream()
              .filter(before -> !before.equals(name) && probability(before, name) > 0)
              .noneMatch(stuck::contains);
    }

    /**
     * Returns the requests that a session may come to from {@code start}, itself among it, the
     * nearest first.
     */
    private Set<String> reached(String start) {
      Set<String> reached = new LinkedHashSet<>(Set.of(start));
      Queue<String> waiting = new ArrayDeque<>(reached);
      while (!waiting.isEmpty()) {
        next.getOrDefault(waiting.remove(), Map.of())
            .forEach(
                (name, probability) -> {
                  if (probability > 0 && !name.equals(BACK) && reached.add(name)) {
                    waiting.add(name);
                  }
                });
      }
      return reached;
    }
  }

  private static void check(String what, Map<String, Double> probabilities) {
    probabilities.forEach(
        (name, probability) ->
            Require.fraction("probability of '" + name + "' in " + what, probability));
    Require.sumToOne(
        "probabilities of the " + what,
        probabilities.values().stream().mapToDouble(Double::doubleValue).sum());
  }
}
