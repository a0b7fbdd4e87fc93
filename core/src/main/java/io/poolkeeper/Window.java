package io.poolkeeper;

/**
 * Measurements of one {@link Resizable} over one interval. Times and durations are nanoseconds of a
 * monotonic clock; the origin of that clock means nothing.
 *
 * <p>The components are measured; methods return derived values. Times are those of all tasks that
 * ended. Response time = queue wait + service time. A window does not check its values, because a
 * recorded window may hold anything; a {@link Controller} must survive that.
 *
 * @param start beginning of the interval
 * @param end end of the interval
 * @param size the size in force when the window closed; a loop changes it only between windows
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
 * @param disk input and output of the workers, or the reason why it was not measured
 * @param queuedByWorkers tasks that the pool's own workers submitted, among the first 10,000 that
 *     wait at the end; the workers may be waiting for them. {@link #NOT_MEASURED} if anything ended
 *     in the interval, or if the submitter is unknown
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
    long gc,
    DiskStats disk,
    long queuedByWorkers) {

  /** Value of a duration or a number that was not measured. */
  public static final long NOT_MEASURED = -1;

  /** Returns the length of the interval in seconds. */
  public double seconds() {
    return (end - start) / 1e9;
  }

  /** Returns the completions per second; NaN or infinite for a window without length. */
  public double throughput() {
    return completions / seconds();
  }

  /** Returns the completions within the bound per second; NaN or infinite without length. */
  public double goodput() {
    return withinBound / seconds();
  }

  /** Returns the busy part of the size; about 1 if all workers are busy or all permits held. */
  public double utilisation() {
    return busy / size;
  }

  /** Returns whether nothing ended in the interval. */
  public boolean idle() {
    return completions + failures == 0;
  }

  /** Returns a builder of a window in which nothing happened and nothing was measured. */
  public static Builder builder(long start, long end, int size) {
    return new Builder(start, end, size);
  }

  /** Returns a builder with the values of this window. */
  public Builder toBuilder() {
    return new Builder(start, end, size)
        .busy(busy)
        .queue(queueMean, queueMax)
        .arrivals(arrivals)
        .completions(completions)
        .failures(failures)
        .rejections(rejections)
        .withinBound(withinBound)
        .times(queueWait, serviceTime, responseTime)
        .cpu(workerCpu, processCpu)
        .gc(gc)
        .disk(disk)
        .queuedByWorkers(queuedByWorkers);
  }

  /** Builder of a window by the names of its components. It checks no values. */
  public static final class Builder {

    private static final long DERIVED = Long.MIN_VALUE;

    private long start;
    private long end;
    private int size;
    private double busy;
    private double queueMean;
    private int queueMax;
    private long arrivals = DERIVED;
    private long completions;
    private long failures;
    private long rejections;
    private long withinBound = DERIVED;
    private TimeStats queueWait = TimeStats.EMPTY;
    private TimeStats serviceTime = TimeStats.EMPTY;
    private TimeStats responseTime = TimeStats.EMPTY;
    private long workerCpu = NOT_MEASURED;
    private long processCpu = NOT_MEASURED;
    private long gc = NOT_MEASURED;
    private DiskStats disk = DiskStats.NOT_MEASURED;
    private long queuedByWorkers = NOT_MEASURED;

    private Builder(long start, long end, int size) {
      this.start = start;
      this.end = end;
      this.size = size;
    }

    /** Sets the size in force, 1 or more. */
    public Builder size(int inForce) {
      size = inForce;
      return this;
    }

    /** Moves the window in time, nanoseconds. */
    public Builder moved(long by) {
      start += by;
      end += by;
      return this;
    }

    /** Sets the mean number of busy workers or held permits; default 0. */
    public Builder busy(double mean) {
      this.busy = mean;
      return this;
    }

    /** Sets the mean and the largest number of waiting tasks; default 0. */
    public Builder queue(double mean, int most) {
      this.queueMean = mean;
      this.queueMax = most;
      return this;
    }

    /** Sets the tasks offered; default completions, failures and rejections. */
    public Builder arrivals(long arrivals) {
      this.arrivals = arrivals;
      return this;
    }

    /** Sets the tasks that ended normally; default 0. */
    public Builder completions(long completions) {
      this.completions = completions;
      return this;
    }

    /** Sets the tasks that ended by throwing, or were dropped; default 0. */
    public Builder failures(long failures) {
      this.failures = failures;
      return this;
    }

    /** Sets the tasks refused; default 0. */
    public Builder rejections(long rejections) {
      this.rejections = rejections;
      return this;
    }

    /** Sets the completions within the bound; default all. */
    public Builder withinBound(long withinBound) {
      this.withinBound = withinBound;
      return this;
    }

    /** Sets the times of the tasks that ended; default none. */
    public Builder times(TimeStats queueWait, TimeStats serviceTime, TimeStats responseTime) {
      this.queueWait = queueWait;
      this.serviceTime = serviceTime;
      this.responseTime = responseTime;
      return this;
    }

    /** Sets the CPU time of the workers and of the process, nanoseconds; default not measured. */
    public Builder cpu(long workers, long process) {
      this.workerCpu = workers;
      this.processCpu = process;
      return this;
    }

    /** Sets the time in garbage collection, nanoseconds; default not measured. */
    public Builder gc(long nanos) {
      this.gc = nanos;
      return this;
    }

    /** Sets the input and output of the workers; default not measured. */
    public Builder disk(DiskStats disk) {
      this.disk = disk;
      return this;
    }

    /** Sets the waiting tasks that the pool's own workers submitted; default not measured. */
    public Builder queuedByWorkers(long tasks) {
      this.queuedByWorkers = tasks;
      return this;
    }

    /** Makes the window. */
    public Window build() {
      return new Window(
          start,
          end,
          size,
          busy,
          queueMean,
          queueMax,
          arrivals == DERIVED ? completions + failures + rejections : arrivals,
          completions,
          failures,
          rejections,
          withinBound == DERIVED ? completions : withinBound,
          queueWait,
          serviceTime,
          responseTime,
          workerCpu,
          processCpu,
          gc,
          disk,
          queuedByWorkers);
    }
  }
}
