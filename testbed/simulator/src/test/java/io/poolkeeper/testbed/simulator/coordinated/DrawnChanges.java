package io.poolkeeper.testbed.simulator.coordinated;

import io.poolkeeper.testbed.simulator.coordinated.TwoTiers.Stage;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A service, sizes to begin with, and changes, drawn from wide ranges: an application or a database
 * that limits, or both; fast and slow statements; connections that cost the database much or
 * little; from one to twelve of them a request; waits elsewhere of up to two seconds.
 *
 * @param service the service
 * @param threads to begin with
 * @param connections to begin with
 * @param stages of {@link #STAGES} or {@link #SHARING}
 */
record DrawnChanges(TwoTiers service, int threads, int connections, List<Stage> stages) {

  /**
   * Half of the load that the service can do; too much; half of the requests write; the database at
   * half its speed; back to reads at full speed; a replica of the tier that limits.
   */
  static final List<String> STAGES =
      List.of("usual load", "more users", "other mix", "slow database", "recovered", "replica");

  /**
   * The database is the limit: half of the load that the service can do; too much; a second server
   * of the application, and a third; the database at half its speed; the first server alone again.
   */
  static final List<String> SHARING =
      List.of(
          "usual load", "more users", "two servers", "three servers", "slow database", "one again");

  private static final double STAGE_SECONDS = 160;

  /** Those of Tomcat and HikariCP three times in six, since most pools begin with them. */
  private static final int[][] BEGINS = {{200, 10}, {200, 10}, {200, 10}, {4, 4}, {8, 2}, {20, 40}};

  /** Most threads that are at work outside the connections. */
  private static final double MOST_PAUSING = 250;

  /** Largest capacity of the database as a part of that of the application, from 0.2 on. */
  private static final double ANY_SURPLUS = 50;

  private static final double DATABASE_LIMITS = 4.5;

  /** Draws the service of a seed and the changes of {@link #STAGES}. */
  static DrawnChanges of(long seed) {
    Draw draw = Draw.of(new SplittableRandom(seed * 6967 + 3), ANY_SURPLUS);
    Stage full = draw.full;
    return draw.changing(
        List.of(
            draw.usual,
            full,
            new Stage(STAGE_SECONDS, full.users(), 0.5, 1),
            new Stage(STAGE_SECONDS, full.users(), 0.5, 0.5),
            full,
            draw.database
                ? new Stage(STAGE_SECONDS, full.users(), 0, 1, 1, 2)
                : new Stage(STAGE_SECONDS, full.users(), 0, 1, 2, 1)));
  }

  /** Draws the service of a seed, whose database is the limit, and the changes of SHARING. */
  static DrawnChanges sharing(long seed) {
    Draw draw = Draw.of(new SplittableRandom(seed * 6967 + 5), DATABASE_LIMITS);
    Stage full = draw.full;
    return draw.changing(
        List.of(
            draw.usual,
            full,
            full.with(2),
            full.with(3),
            new Stage(STAGE_SECONDS, full.users(), 0, 0.5, 3, 1),
            full));
  }

  /**
   * A service and its first two stages.
   *
   * @param threads to begin with
   * @param connections to begin with
   * @param database whether it is the limit
   */
  private record Draw(
      TwoTiers service, int threads, int connections, Stage usual, Stage full, boolean database) {

    /**
     * Draws a service.
     *
     * @param surpluses factor between the largest and the smallest capacity of the database
     */
    static Draw of(SplittableRandom random, double surpluses) {
      double capacity = DrawnService.between(random, 80, 6);
      double surplus = DrawnService.between(random, 0.2, surpluses);
      int cores = 1 + random.nextInt(4);
      double work = cores / (capacity * Math.max(1, 1 / surplus));
      double overhead = random.nextInt(2) * 0.003 * random.nextDouble();
      boolean pauses = random.nextInt(3) == 0;
      double pause =
          pauses ? Math.min(DrawnService.between(random, 0.01, 200), MOST_PAUSING / capacity) : 0;
      int reads = 1 + random.nextInt(3);
      int writes = (int) (reads * DrawnService.between(random, 1, 4) + 0.5);
      double peak = DrawnService.between(random, 2, 15);
      double contention = 0.1 * random.nextDouble();
      double coherence = (1 - contention) / (peak * peak);
      double slowed = 1 + contention * (peak - 1) + coherence * peak * (peak - 1);
      double rate = capacity * Math.max(1, surplus) * reads * slowed / peak;
      int[] begin = BEGINS[random.nextInt(BEGINS.length)];
      double users = capacity * (TwoTiers.THINK + pause);
      int few = (int) Math.max(10, users * 0.5);
      int many = (int) Math.max(20, users * (1.3 + random.nextDouble()));
      return new Draw(
          new TwoTiers(cores, work, overhead, pause, rate, contention, coherence, reads, writes),
          begin[0],
          begin[1],
          new Stage(STAGE_SECONDS, few, 0, 1),
          new Stage(STAGE_SECONDS, many, 0, 1),
          surplus < 1);
    }

    DrawnChanges changing(List<Stage> stages) {
      return new DrawnChanges(service, threads, connections, stages);
    }
  }
}
