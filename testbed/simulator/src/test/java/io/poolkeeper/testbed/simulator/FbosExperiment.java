package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.uniform;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.ForwardingPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The experiment of Bahadur and others 2014, section 4: 20 s of jobs that sleep, 18 a second, 24
 * from second 9 on, 30 from second 17 on, evenly spaced; the same jobs for each policy.
 */
final class FbosExperiment {

  static final int SECONDS = 20;
  static final double SHORTEST_SLEEP = 0.5;
  private static final long TICK = 200_000_000;
  private static final int TICKS_A_SECOND = 5;
  private static final int TICKS_A_SAMPLE = 4;

  private FbosExperiment() {}

  /**
   * Published figures of a policy.
   *
   * @param sizes size at the end of each second, the first being 1
   * @param completions jobs completed until then
   * @param waits mean time, milliseconds, that the jobs in the queue have waited, each 800 ms from
   *     0
   * @param sleeps how long each job slept, nanoseconds, in the order of arrivals; 0 if it had not
   *     ended
   */
  record Trace(
      List<Integer> sizes, List<Integer> completions, List<Double> waits, List<Long> sleeps) {

    double meanWait() {
      return waits.stream().mapToDouble(wait -> wait).average().orElseThrow();
    }
  }

  /**
   * Runs a policy.
   *
   * @param seed selects the set of jobs
   * @param longestSleep seconds; published: 1.5
   */
  static Trace run(Supplier<EventPolicy> policy, long seed, double longestSleep) {
    Probe probe = new Probe(policy.get());
    Tier tier =
        Tier.named("jobs")
            .workers(Pool.of(probe.initialSize()).between(1, 512))
            .serve(Step.sleep(uniform(SHORTEST_SLEEP, longestSleep)))
            .build();
    Clients arrivals =
        Clients.open(List.of(new Phase(9, 18), new Phase(8, 24), new Phase(3, 30)))
            .arriving(new Pattern.Constant());
    Simulation.of(Model.of(tier, arrivals))
        .seed(seed)
        .poolTimes(false)
        .policy("jobs", () -> probe)
        .run(SECONDS + 0.1);
    return probe.trace();
  }

  /** A policy that is watched as the paper's simulator watches its pools. */
  private static final class Probe extends ForwardingPolicy {
    private final List<Integer> sizes = new ArrayList<>();
    private final List<Integer> completions = new ArrayList<>();
    private final List<Double> waits = new ArrayList<>(List.of(0.0));
    private final List<Long> arrivals = new ArrayList<>();
    private final List<Long> sleeps = new ArrayList<>();
    private int ended;
    private int ticks;

    Probe(EventPolicy policy) {
      super(policy);
      if (policy.interval() % TICK != 0) {
        throw new IllegalArgumentException(policy.name() + " looks at times that are not sampled");
      }
    }

    Trace trace() {
      return new Trace(sizes, completions, waits, sleeps);
    }

    @Override
    public long interval() {
      return TICK;
    }

    @Override
    public int arrived(PoolState pool) {
      arrivals.add(pool.now());
      sleeps.add(0L);
      return policy.arrived(pool);
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      ended++;
      sleeps.set(arrivals.indexOf(pool.now() - wait - service), service);
      return policy.ended(pool, wait, service, outcome);
    }

    @Override
    public int elapsed(PoolState pool) {
      ticks++;
      if (ticks % TICKS_A_SECOND == 0) {
        sizes.add(pool.size());
        completions.add(ended);
      }
      if (ticks % TICKS_A_SAMPLE == 0 && ticks / TICKS_A_SAMPLE < SECONDS * 1000 / 800) {
        waits.add(meanWait(pool));
      }
      boolean due = policy.interval() > 0 && ticks * TICK % policy.interval() == 0;
      return due ? policy.elapsed(pool) : pool.size();
    }

    private double meanWait(PoolState pool) {
      return arrivals.subList(arrivals.size() - pool.queued(), arrivals.size()).stream()
          .mapToDouble(arrival -> (pool.now() - arrival) / 1e6)
          .average()
          .orElse(0);
    }
  }
}
