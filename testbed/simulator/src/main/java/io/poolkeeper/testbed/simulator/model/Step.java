package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Require;
import java.util.List;

/** One step of what a tier does for a request. Steps follow each other; a thread does them. */
public sealed interface Step {

  /** Name of the station that every tier with cores has. */
  String CPU = "cpu";

  /** Work for the cores of the tier, seconds of one core. */
  static Step cpu(Distribution work) {
    return new Use(CPU, work);
  }

  /** Work for a station of the tier, or of the model, in that station's unit. */
  static Step use(String station, Distribution work) {
    return new Use(station, work);
  }

  /** Waiting for something that never queues, such as a far service; seconds. */
  static Step sleep(Distribution time) {
    return new Sleep(time);
  }

  /** One call to another tier; the thread waits for the answer. */
  static Call call(String tier) {
    return new Call(tier);
  }

  /** Steps while one unit of a pool of the tier, or of the model, is held: a connection, a lock. */
  static Step holding(String pool, Step... steps) {
    return new Hold(pool, List.of(steps));
  }

  /** One of several cases; their probabilities sum to 1. */
  static Step choose(Case... cases) {
    return new Choose(List.of(cases));
  }

  /** A case of {@link #choose}. */
  static Case with(double probability, Step... steps) {
    return new Case(probability, List.of(steps));
  }

  /** This step so many times in the mean, one after the other. */
  default Step times(double times) {
    return new Repeat(times, this);
  }

  /**
   * Work at a station.
   *
   * @param station its name
   * @param work how much
   */
  record Use(String station, Distribution work) implements Step {}

  /**
   * A delay.
   *
   * @param time seconds
   */
  record Sleep(Distribution time) implements Step {}

  /**
   * A call to another tier.
   *
   * @param tier its name
   */
  record Call(String tier) implements Step {

    /** The same, holding a connection of a pool of the tier meanwhile. */
    public Step through(String pool) {
      return new Hold(pool, List.of(this));
    }
  }

  /**
   * A step several times, one after the other.
   *
   * @param times mean number of times, 0 to {@value #MOST_TIMES}: the whole part always, once more
   *     with the rest as probability
   * @param step what is repeated
   */
  record Repeat(double times, Step step) implements Step {

    /** Largest number of times. */
    public static final int MOST_TIMES = 1000;

    public Repeat {
      if (!(times >= 0 && times <= MOST_TIMES)) {
        throw new IllegalArgumentException(
            "times must be within 0..%d, but is %s".formatted(MOST_TIMES, times));
      }
    }
  }

  /**
   * Steps under a unit of a pool.
   *
   * @param pool its name
   * @param steps what is done meanwhile
   */
  record Hold(String pool, List<Step> steps) implements Step {
    public Hold {
      steps = List.copyOf(steps);
    }
  }

  /**
   * One of several cases.
   *
   * @param cases whose probabilities sum to 1
   */
  record Choose(List<Case> cases) implements Step {
    public Choose {
      cases = List.copyOf(cases);
      Require.sumToOne(
          "probabilities of a choice", cases.stream().mapToDouble(Case::probability).sum());
    }
  }

  /**
   * A case of a choice.
   *
   * @param probability 0 to 1
   * @param steps may be none
   */
  record Case(double probability, List<Step> steps) {
    public Case {
      Require.fraction("probability of a case", probability);
      steps = List.copyOf(steps);
    }
  }
}
