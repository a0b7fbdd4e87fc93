package io.poolkeeper.testbed.load.measure;

import io.poolkeeper.testbed.load.description.LoadDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Adds the intervals of a run up. */
public final class SummaryBuilder {

  private final int threads;
  private final long start;
  private final double planned;
  private final Tally tally;
  private final Bottleneck bottleneck = new Bottleneck();
  private final int connections;
  private long offered = Interval.CLOSED;
  private long end;
  private long cpu;

  /**
   * @param threads load threads
   * @param start when the load begins
   */
  public SummaryBuilder(LoadDescription load, int threads, long start) {
    this.threads = threads;
    this.start = start;
    end = start;
    planned = load.timeline().total() / 1e9;
    connections = load.connections();
    tally = new Tally(load.requests().size(), load.timeout().toNanos());
  }

  public void add(Interval interval) {
    end = interval.end();
    cpu += interval.cpu();
    if (interval.offered() != Interval.CLOSED) {
      offered = Math.max(0, offered) + interval.offered();
    }
    tally.add(interval.tally());
    bottleneck.add(interval);
  }

  /**
   * The summary of what was added.
   *
   * @param stopped whether the load was ended before its time
   */
  public Summary build(boolean stopped) {
    List<String> limits = bottleneck.warnings();
    List<String> warnings = new ArrayList<>(limits);
    if (stopped) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "stopped after %.1f s of %.1f s, with %d requests unfinished",
              (end - start) / 1e9,
              planned,
              tally.unfinished()));
    }
    Schedule schedule = offered == Interval.CLOSED ? null : schedule();
    if (schedule != null && schedule.unsent() > 0) {
      warnings.add(unsent(schedule));
    }
    return new Summary(start, end, tally, schedule, cpu, threads, !limits.isEmpty(), warnings);
  }

  private Schedule schedule() {
    double seconds = Math.min(planned, (end - start) / 1e9);
    return new Schedule(offered, seconds, tally.waited(), tally.lags());
  }

  private String unsent(Schedule schedule) {
    return String.format(
        Locale.ROOT,
        "%d of %d requests (%.1f %%) were never sent: none of %d connections became free for them in"
            + " time; response times are those of the others",
        schedule.unsent(),
        offered,
        100.0 * schedule.unsent() / offered,
        connections);
  }
}
