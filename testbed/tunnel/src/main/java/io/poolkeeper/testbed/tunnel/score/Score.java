package io.poolkeeper.testbed.tunnel.score;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Optimum;
import io.poolkeeper.testbed.tunnel.flight.Trace;

/**
 * Result of a controller in one run. Fractions are of what the best size of each stage reaches.
 *
 * @param overall work done in the whole run, as a fraction of a run with the same seed whose size
 *     was always the best of its stage; never above 1
 * @param start the same of the first {@link #START_SECONDS}
 * @param steady what the sizes held in the second half of each stage are worth in the long run
 * @param worst the least that the sizes held within any {@link #WORST_SECONDS} after the start are
 *     worth in the long run
 * @param threads thread-seconds of the whole run, as a multiple of those of {@link Optimum#enough}
 * @param threadsSteady the same of the second half of each stage
 * @param reachStart seconds until the sizes held within the following {@link #REACHED_SECONDS} are
 *     worth {@link #REACHED} of the best; infinite for never
 * @param reachChange the same after the change of the stage where it took longest; NaN where there
 *     is no change
 * @param resizes how often the size changed
 * @param cycle size of the largest limit cycle in the second half of a stage, see {@link Swings}
 * @param versusFixed work done, as a multiple of a run with the same seed at {@link
 *     Course#bestFixed}
 * @param completions tasks that ended
 * @param response mean response time of these in seconds
 */
public record Score(
    double overall,
    double start,
    double steady,
    double worst,
    double threads,
    double threadsSteady,
    double reachStart,
    double reachChange,
    int resizes,
    int cycle,
    double versusFixed,
    long completions,
    double response) {

  /** Length of the start. */
  static final int START_SECONDS = 60;

  /** Length of the windows among which the worst is looked for. */
  static final int WORST_SECONDS = 5;

  /** Length of the window that must be good for the optimum to count as reached. */
  static final int REACHED_SECONDS = 5;

  /** Fraction of the best that counts as reached. */
  static final double REACHED = 0.95;

  /**
   * Judges a run.
   *
   * @param run what is judged
   * @param optimum a run with the same seed whose size was always the best of its stage
   * @param fixed a run with the same seed whose size was {@link Course#bestFixed}
   */
  public static Score of(Course course, Trace run, Trace optimum, Trace fixed) {
    Judge judge = new Judge(course, run.sizes());
    int end = course.seconds();
    int start = Math.min(START_SECONDS, end);
    return new Score(
        Math.min(1, run.work(0, end) / optimum.work(0, end)),
        Math.min(1, run.work(0, start) / optimum.work(0, start)),
        judge.steady(),
        judge.worst(),
        judge.threads(false),
        judge.threads(true),
        judge.reached(0),
        judge.slowestChange(),
        run.sizes().changes(),
        judge.cycle(),
        run.work(0, end) / fixed.work(0, end),
        run.completions(),
        run.meanResponseSeconds());
  }
}
