package io.tidepool.testbed.load.measure;

import io.tidepool.testbed.load.description.LoadDescription;
import io.tidepool.testbed.load.description.Timeline;
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
    planned = new Timeline(load.phases()).total() / 1e9;
    tally = new Tally(load.requests().size(), load.timeout().toNanos());
  }

  public void add(Interval interval) {
    end = interval.end();
    cpu += interval.cpu();
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
    return new Summary(start, end, tally, cpu, threads, !limits.isEmpty(), warnings);
  }
}
