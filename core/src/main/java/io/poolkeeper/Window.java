package io.poolkeeper;

/**
 * What was measured over one interval of one {@link Resizable}. Times and durations are nanoseconds
 * of a monotonic clock; the origin of that clock means nothing.
 *
 * <p>Times are those of all tasks that ended.
 *
 * <p>Fundamental measurements are the components; what can be computed from them is a method.
 * Response time = queue wait + service time. A window does not check its values: one that came from
 * a recording may hold anything, and a {@link Controller} must survive it.
 *
 * @param start when the interval began
 * @param end when it ended
 * @param size the size in force when the window closed; a size changes between windows, except when
 *     someone changes it by hand
 * @param busy time-weighted mean number of busy workers or held permits
 * @param queueMean time-weighted mean number of waiting tasks
 * @param queueMax largest number of waiting tasks seen
 * @param arrivals tasks offered, rejected ones included
 * @param completions tasks that ended normally
 * @param failures tasks that ended by throwing; for a limiter, permits released as dropped
 * @param rejections tasks refused
 * @param withinBound completions within the bound of a goodput objective; all completions where
 *     there is no bound
 * @param queueWait from the arrival of a task to its start, of the tasks that ended
 * @param serviceTime from the start of a task to its end, of the tasks that ended
 * @param responseTime from the arrival of a task to its end, of the tasks that ended
 * @param workerCpu CPU time that the workers used, or {@link #NOT_MEASURED}
 * @param processCpu CPU time that the whole process used, or {@link #NOT_MEASURED}
 * @param gc time in garbage collection, or {@link #NOT_MEASURED}
 */
public record Window(
    long start,
    long end,
    int size,
    double busy,
    double queueMean,
    int queueMax,
    long arrivals,
    long completions,
    long failures,
    long rejections,
    long withinBound,
    TimeStats queueWait,
    TimeStats serviceTime,
    TimeStats responseTime,
    long workerCpu,
    long processCpu,
    long gc) {

  /** Stands for a duration that was not measured. */
  public static final long NOT_MEASURED = -1;

  /** Length of the interval in seconds. */
  public double seconds() {
    return (end - start) / 1e9;
  }

  /** Completions per second; NaN or infinite for a window without length. */
  public double throughput() {
    return completions / seconds();
  }

  /** Completions within the bound per second; NaN or infinite for a window without length. */
  public double goodput() {
    return withinBound / seconds();
  }

  /** Busy workers or held permits as a fraction of the size; about 1 when all are busy. */
  public double utilisation() {
    return busy / size;
  }

  /** Whether nothing ended in the interval. */
  public boolean idle() {
    return completions + failures == 0;
  }
}
