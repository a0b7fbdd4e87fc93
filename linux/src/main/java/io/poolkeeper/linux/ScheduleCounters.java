package io.poolkeeper.linux;

/**
 * Time of a thread on and before a processor, from the file {@code schedstat}.
 *
 * @param running nanoseconds on a processor
 * @param waiting nanoseconds in the run queue, ready and without a processor
 * @param slices times that it got a processor
 */
public record ScheduleCounters(long running, long waiting, long slices) {

  static ScheduleCounters parse(Fields fields) {
    return new ScheduleCounters(fields.counter(), fields.counter(), fields.counter());
  }

  /** Returns the change since an earlier reading; missing if a counter went back. */
  public Sample<ScheduleCounters> since(ScheduleCounters earlier) {
    ScheduleCounters change =
        new ScheduleCounters(
            running - earlier.running, waiting - earlier.waiting, slices - earlier.slices);
    return (change.running | change.waiting | change.slices) < 0
        ? Sample.missing("a counter went back: these are the counters of another thread")
        : Sample.of(change);
  }

  /** Adds other counters. */
  public ScheduleCounters plus(ScheduleCounters other) {
    return new ScheduleCounters(
        running + other.running, waiting + other.waiting, slices + other.slices);
  }
}
