package io.poolkeeper.testbed.simulator.coordinated;

import io.poolkeeper.testbed.simulator.coordinated.TwoTiers.Stage;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A service and its conditions, drawn at random. The limit is the database in most, in some the
 * application, and in some nearly both.
 *
 * @param service the service
 * @param stages half of the load that it can do; too much; half of the requests write; the database
 *     at half its speed; back to reads at full speed
 */
record DrawnService(TwoTiers service, List<Stage> stages) {

  private static final double STAGE_SECONDS = 300;

  /** Draws the service of a seed. */
  static DrawnService of(long seed) {
    SplittableRandom random = new SplittableRandom(seed * 7919 + 1);
    double work = between(random, 0.0008, 8);
    double peak = between(random, 4, 8);
    double contention = 0.01 + 0.08 * random.nextDouble();
    int cores = 2 + random.nextInt(3);
    double overhead = random.nextInt(2) * 0.002 * random.nextDouble();
    double pause = random.nextInt(3) == 0 ? 0.05 * random.nextDouble() : 0;
    double rate = between(random, 60, 6);
    double coherence = (1 - contention) / (peak * peak);
    int reads = 1 + random.nextInt(2);
    int writes = 2 + random.nextInt(3);
    TwoTiers service =
        new TwoTiers(cores, work, overhead, pause, rate, contention, coherence, reads, writes);
    double database =
        rate * peak / (1 + contention * (peak - 1) + coherence * peak * (peak - 1)) / reads;
    double capacity = Math.min(cores / work, database);
    int few = (int) Math.max(10, capacity * 0.5);
    int many = (int) Math.max(30, capacity * (1.4 + random.nextDouble()));
    return new DrawnService(
        service,
        List.of(
            new Stage(STAGE_SECONDS, few, 0, 1),
            new Stage(STAGE_SECONDS, many, 0, 1),
            new Stage(STAGE_SECONDS, many, 0.5, 1),
            new Stage(STAGE_SECONDS, many, 0.5, 0.5),
            new Stage(STAGE_SECONDS, many, 0, 1)));
  }

  /** Log-uniform from {@code least} to {@code factor} times it. */
  static double between(SplittableRandom random, double least, double factor) {
    return Math.exp(Math.log(least) + random.nextDouble() * Math.log(factor));
  }
}
