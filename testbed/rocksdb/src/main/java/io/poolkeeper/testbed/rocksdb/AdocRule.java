package io.poolkeeper.testbed.rocksdb;

/**
 * The rule for threads of ADOC (Yu and others, FAST 2023), as the authors' code has it: asked once
 * a second, with the jobs in the background as its one number. Its rule for the size of memtables
 * is left out, since this compares threads.
 *
 * <pre>
 * writes below 0.7 of their maximum:
 *   memtables wait, flush speed at most 0.5 of its maximum, more than 6 jobs: half the jobs
 *   memtables wait, flush speed above that, level 0 past 0.5 of its slowdown:  2 jobs more
 *   no memtable waits, level 0 past 0.7 of its slowdown:                       2 jobs more
 * otherwise, compactions idle for more than 2.5 s:                             half the jobs
 * </pre>
 *
 * <p>The authors' case of many bytes to compact is not told apart from level 0, which comes first
 * here. A quarter of the jobs are flushes, as in RocksDB.
 */
final class AdocRule {

  private static final double SLOW_WRITES = 0.7;
  private static final double SLOW_FLUSHES = 0.5;
  private static final double LEVEL0_WITH_MEMTABLES = 0.5;
  private static final double LEVEL0 = 0.7;
  private static final double IDLE_SECONDS = 2.5;
  private static final int MANY_JOBS = 6;
  private static final int STEP = 2;
  private static final int FEWEST = 2;

  private final int most;
  private int jobs;
  private double fastestWrites;
  private double fastestFlush;

  /**
   * State of a database.
   *
   * @param writes bytes that users wrote in a second
   * @param immutables memtables that wait for a flush
   * @param flushSpeed bytes that a flush wrote in a second; 0 where none ended
   * @param level0 tables of level 0 over the number that slows writes down
   * @param idleSeconds time since a compaction ran
   */
  record State(
      double writes, long immutables, double flushSpeed, double level0, double idleSeconds) {}

  /**
   * @param jobs jobs to begin with
   * @param most most jobs
   */
  AdocRule(int jobs, int most) {
    this.jobs = jobs;
    this.most = most;
  }

  /** Returns the jobs for the next second. */
  int decide(State state) {
    fastestWrites = Math.max(fastestWrites, state.writes);
    fastestFlush = Math.max(fastestFlush, state.flushSpeed);
    int wanted = jobs;
    if (state.writes < SLOW_WRITES * fastestWrites) {
      if (state.immutables >= 1 && state.flushSpeed <= SLOW_FLUSHES * fastestFlush) {
        wanted = jobs > MANY_JOBS ? jobs / 2 : jobs;
      } else if (state.level0 > (state.immutables >= 1 ? LEVEL0_WITH_MEMTABLES : LEVEL0)) {
        wanted = jobs + STEP;
      }
    } else if (state.idleSeconds > IDLE_SECONDS) {
      wanted = jobs / 2;
    }
    jobs = Math.min(most, Math.max(FEWEST, wanted));
    return jobs;
  }

  /** Returns the flushes among so many jobs. */
  static int flushes(int jobs) {
    return Math.max(1, jobs / 4);
  }
}
