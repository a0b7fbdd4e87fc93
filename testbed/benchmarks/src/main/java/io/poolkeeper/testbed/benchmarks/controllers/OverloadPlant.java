package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.Bounds;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.RateCurve;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToDoubleFunction;

/**
 * A plant behind a limit, with its noise and with half as many arrivals again as it can serve. The
 * kinds are those of experiments/real-work; scale, best size and noise are drawn from a seed.
 *
 * @param kind of the work
 * @param rate completions per second by tasks in service
 * @param capacity largest of them
 * @param variation squared coefficient of variation of the work of a task
 * @param warmUp speed of a program that is being compiled
 * @param deviation standard deviation of the speed from second to second
 * @param bound response time within which a completion counts
 */
record OverloadPlant(
    Kind kind,
    IntToDoubleFunction rate,
    double capacity,
    double variation,
    Noise.WarmUp warmUp,
    double deviation,
    Duration bound) {

  static final String POOL = "limit";
  static final Bounds BOUNDS = new Bounds(1, 1000);

  private static final double OVERLOAD = 1.5;

  /** The kinds of work. */
  enum Kind {
    /** A downstream service that serves so many at once and slows down beyond. */
    CALL(0),
    /** Work whose throughput stays for a while beyond the best size, then collapses. */
    REPORT(1),
    /** Transactions on few rows: each further one slows all others down. */
    HOT_ROWS(2);

    /** Distinguishes the random numbers of a seed. */
    private final int stream;

    Kind(int stream) {
      this.stream = stream;
    }

    /** Name for people. */
    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Draws the plant of a seed. */
  static OverloadPlant of(Kind kind, long seed) {
    Random random = new Random(seed * 31 + kind.stream);
    for (int warm = 0; warm < 10; warm++) {
      random.nextDouble(); // The first numbers of neighbouring seeds are alike.
    }
    IntToDoubleFunction rate =
        switch (kind) {
          case CALL -> call(between(random, 6, 60), between(random, 0.01, 0.08), random);
          case REPORT -> report(between(random, 0.5, 3), between(random, 150, 600));
          case HOT_ROWS -> hotRows(between(random, 2, 10), between(random, 600, 2000));
        };
    double capacity = 0;
    for (int tasks = 1; tasks <= BOUNDS.maximum(); tasks++) {
      capacity = Math.max(capacity, rate.applyAsDouble(tasks));
    }
    double variation =
        switch (kind) {
          case CALL -> between(random, 0.02, 0.2);
          case REPORT -> between(random, 0.1, 0.5);
          case HOT_ROWS -> between(random, 0.3, 1.5);
        };
    return new OverloadPlant(
        kind,
        rate,
        capacity,
        variation,
        new Noise.WarmUp(between(random, 0.1, 0.5), between(random, 2, 8)),
        between(random, 0.02, 0.15),
        Duration.ofMillis(500));
  }

  private static double between(Random random, double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }

  private static IntToDoubleFunction call(double places, double seconds, Random random) {
    double slowing = between(random, 0.05, 0.5);
    return k -> Math.min(k, places) / (seconds * (1 + slowing * Math.max(0, k - places) / places));
  }

  private static IntToDoubleFunction report(double width, double most) {
    Map<Integer, Double> measured = new HashMap<>();
    Map.of(8, 0.38, 16, 0.74, 24, 0.95, 32, 1.0, 64, 0.98, 128, 0.4, 200, 0.13)
        .forEach((tasks, share) -> measured.put((int) Math.round(tasks * width), share * most));
    return RateCurve.through(measured);
  }

  private static IntToDoubleFunction hotRows(double best, double most) {
    double coherence = 0.95 / (best * best);
    IntToDoubleFunction law = RateCurve.usl(1, 0.05, coherence);
    double top = law.applyAsDouble((int) Math.round(best));
    return k -> most * law.applyAsDouble(k) / top;
  }

  double arrivals() {
    return OVERLOAD * capacity;
  }

  /** Returns the same plant with a program that is compiled already. */
  OverloadPlant warm() {
    return new OverloadPlant(
        kind, rate, capacity, variation, new Noise.WarmUp(1, warmUp.lasting()), deviation, bound);
  }

  /**
   * Returns the model.
   *
   * @param size of the limit at the start
   * @param waiting requests that may wait for a permit, at most
   */
  Model model(int size, int waiting) {
    Station.Curve station = Station.curve(rate).with(warmUp).with(Noise.wander(deviation));
    Tier tier =
        Tier.named(POOL)
            .workers(new Pool(size, BOUNDS, waiting))
            .cpu(station)
            .serve(Step.use(Step.CPU, Distribution.lognormal(1, variation)))
            .build();
    return Model.of(tier, Clients.open(arrivals()));
  }
}
