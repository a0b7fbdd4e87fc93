package io.poolkeeper.testbed.load.run;

import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.measure.Interval;
import io.poolkeeper.testbed.load.measure.IntervalMerger;
import io.poolkeeper.testbed.load.measure.LoopRecorder;
import io.poolkeeper.testbed.load.measure.Summary;
import io.poolkeeper.testbed.load.measure.SummaryBuilder;
import java.util.function.Consumer;

/** The warm-up of a run, or what is measured of it: its intervals and their sum. */
final class Stage {

  private final IntervalMerger merger;
  private final SummaryBuilder summary;
  private final Consumer<Interval> listener;

  /**
   * @param start when it begins
   * @param listener gets its intervals
   */
  Stage(LoadDescription load, int threads, long start, Consumer<Interval> listener) {
    merger = new IntervalMerger(load, threads, start);
    summary = new SummaryBuilder(load, threads, start);
    this.listener = listener;
  }

  void add(LoopRecorder.Part part) {
    merger
        .add(part)
        .ifPresent(
            interval -> {
              summary.add(interval);
              listener.accept(interval);
            });
  }

  /** Whether all load threads have come to its end. */
  boolean finished() {
    return merger.finished();
  }

  /**
   * Returns the summary.
   *
   * @param stopped whether it was ended before its time
   */
  Summary summary(boolean stopped) {
    return summary.build(stopped);
  }
}
