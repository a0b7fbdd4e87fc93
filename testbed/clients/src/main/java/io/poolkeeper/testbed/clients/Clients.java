package io.poolkeeper.testbed.clients;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Those who send requests. A request goes to the first tier unless another is named. What they send
 * and how long they think is independent of how they are served.
 */
public sealed interface Clients {

  /** Name in results. */
  String name();

  /** Tier that gets the requests, or empty for the first of the model. */
  String tier();

  /** Returns the requests of phases without requests of their own. */
  Requests requests();

  /** The load over time. */
  List<Phase> phases();

  /** Returns the requests of a phase: its own, or those of the clients. */
  default Requests requests(Phase phase) {
    Requests own = phase.requests();
    return own == null ? requests() : own;
  }

  /** Returns the names of all requests that are sent in any phase. */
  default Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    phases().forEach(phase -> names.addAll(requests(phase).names()));
    return names;
  }

  /** Time between an answer and the next request of the same client, seconds. */
  Distribution thinkTime();

  /** The same with another load over time. */
  Clients during(List<Phase> phases);

  /** The same with other requests. */
  Clients sending(Requests requests);

  /** So many users that never leave and do not think. */
  static Closed closed(int users) {
    return closed(Phase.always(users));
  }

  /** Users by phases. */
  static Closed closed(List<Phase> users) {
    return new Closed("users", "", Requests.of("request"), users, Distribution.constant(0), 0.01);
  }

  /** Independent arrivals at this rate, per second. */
  static Arriving open(double rate) {
    return open(Phase.always(rate));
  }

  /** Independent arrivals at rates by phases. */
  static Arriving open(List<Phase> rates) {
    return new Arriving(
        "arrivals",
        "",
        Requests.of("request"),
        rates,
        new Pattern.Poisson(),
        0,
        Distribution.constant(0));
  }

  /**
   * Half-open: sessions that arrive, send, think, send again. After each request a session goes on
   * with the probability {@code staying}; with a {@link Requests.Chain} the chain says when it
   * ends.
   */
  static Arriving sessions(double rate, double staying, Distribution thinkTime) {
    return open(rate).staying(staying).thinking(thinkTime);
  }

  /**
   * Closed users: each sends, waits for the answer, thinks, sends again. When a phase begins users
   * appear, and send at once, or leave at once; along a ramp they do so one by one ({@link
   * Timeline}). One that leaves finishes the request that it has sent. After the last phase all
   * leave.
   *
   * @param name name in results
   * @param tier tier that gets the requests, or empty for the first
   * @param requests which requests
   * @param phases number of users, whole, over time
   * @param thinkTime seconds
   * @param retry shortest time until a user whose request was refused or failed sends again,
   *     seconds, positive
   */
  record Closed(
      String name,
      String tier,
      Requests requests,
      List<Phase> phases,
      Distribution thinkTime,
      double retry)
      implements Clients {
    public Closed {
      Require.name("name of clients", name);
      Require.positive("retry", retry);
      phases = Phase.required(phases);
      for (Phase phase : phases) {
        Require.count("users", phase.from());
        Require.count("users", phase.to());
      }
    }

    /** The same under another name. */
    public Closed named(String name) {
      return new Closed(name, tier, requests, phases, thinkTime, retry);
    }

    /** The same for another tier than the first. */
    public Closed at(String tier) {
      return new Closed(name, tier, requests, phases, thinkTime, retry);
    }

    @Override
    public Closed during(List<Phase> phases) {
      return new Closed(name, tier, requests, phases, thinkTime, retry);
    }

    @Override
    public Closed sending(Requests requests) {
      return new Closed(name, tier, requests, phases, thinkTime, retry);
    }

    /** The same with time between answer and next request, seconds. */
    public Closed thinking(Distribution thinkTime) {
      return new Closed(name, tier, requests, phases, thinkTime, retry);
    }

    /** The same with another pause after a refusal, seconds. */
    public Closed retrying(double seconds) {
      return new Closed(name, tier, requests, phases, thinkTime, seconds);
    }
  }

  /**
   * Arrivals from outside: of single requests (open), or of sessions (half-open). A session whose
   * request was refused or failed goes on as if it had been answered.
   *
   * @param name name in results
   * @param tier tier that gets the requests, or empty for the first
   * @param requests which requests; a chain of them comes to its end from wherever it gets
   * @param phases arrivals a second over time; after the last phase none
   * @param pattern how they lie in time
   * @param staying probability that a session sends one more request, below 1; 0 is an open load;
   *     not used with a {@link Requests.Chain}
   * @param thinkTime seconds between the requests of a session
   */
  record Arriving(
      String name,
      String tier,
      Requests requests,
      List<Phase> phases,
      Pattern pattern,
      double staying,
      Distribution thinkTime)
      implements Clients {
    public Arriving {
      Require.name("name of clients", name);
      phases = Phase.required(phases);
      Require.fraction("staying", staying);
      if (staying == 1) {
        throw new IllegalArgumentException("staying must be < 1, but is " + staying);
      }
      if (requests instanceof Requests.Chain chain) {
        chain
            .endless()
            .ifPresent(
                request -> {
                  throw new IllegalArgumentException(
                      ("chain of requests never comes to '%s' once it is at '%s',"
                              + " so that users would only pile up")
                          .formatted(Requests.END, request));
                });
      }
    }

    /** The same under another name. */
    public Arriving named(String name) {
      return new Arriving(name, tier, requests, phases, pattern, staying, thinkTime);
    }

    /** The same for another tier than the first. */
    public Arriving at(String tier) {
      return new Arriving(name, tier, requests, phases, pattern, staying, thinkTime);
    }

    @Override
    public Arriving during(List<Phase> phases) {
      return new Arriving(name, tier, requests, phases, pattern, staying, thinkTime);
    }

    @Override
    public Arriving sending(Requests requests) {
      return new Arriving(name, tier, requests, phases, pattern, staying, thinkTime);
    }

    /** The same with arrivals that lie otherwise in time. */
    public Arriving arriving(Pattern pattern) {
      return new Arriving(name, tier, requests, phases, pattern, staying, thinkTime);
    }

    /** The same, going on after each request with this probability. */
    public Arriving staying(double probability) {
      return new Arriving(name, tier, requests, phases, pattern, probability, thinkTime);
    }

    /** The same with time between the requests of a session, seconds. */
    public Arriving thinking(Distribution thinkTime) {
      return new Arriving(name, tier, requests, phases, pattern, staying, thinkTime);
    }
  }
}
