package io.poolkeeper.testbed.load.measure;

import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Exchange;
import io.poolkeeper.testbed.load.http.Sample;
import io.poolkeeper.testbed.load.traffic.SendLog;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts what one load thread sees, interval by interval, and hands each interval over when it has
 * ended. A request belongs to the interval in which the last byte of its answer was read. All load
 * threads cut their time at the same nanoseconds. Nothing is shared while counting, so that a
 * request costs some tens of nanoseconds and is counted exactly once.
 *
 * <p>A warm-up is counted as well, so that this is warm by then; where measuring begins an interval
 * is cut off, and intervals are numbered anew.
 */
public final class LoopRecorder implements SendLog {

  /**
   * One interval of one load thread.
   *
   * @param index its number, from 0
   * @param start its first nanosecond, of {@link System#nanoTime}
   * @param end the first nanosecond after it
   * @param cpu CPU time of the thread, nanoseconds, without that in which it only waited
   * @param held nanoseconds for which the thread waited for the sample log
   * @param warmUp whether it belongs to the warm-up
   * @param last whether no other follows, of the warm-up or at all
   */
  public record Part(
      int index,
      long start,
      long end,
      Tally tally,
      long cpu,
      long held,
      boolean warmUp,
      boolean last) {}

  /** Samples that are handed over at a time. */
  private static final int BATCH = 2048;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final int requests;
  private final long highest;
  private final Intervals measured;
  private final Consumer<Part> parts;
  private final @Nullable SampleSink samples;

  /** Until when it is a warm-up; {@link MeasurementStart#NEVER} when that is over. */
  private MeasurementStart beginning;

  private Intervals intervals;
  private Tally tally;
  private List<Sample> batch = new ArrayList<>();
  private int index;
  private long runStart;
  private long start;
  private long end = Long.MAX_VALUE;
  private long cpu;
  private long held;
  private long spun;
  private LongToIntFunction clients = time -> 0;

  /**
   * @param beginning until when it is a warm-up
   * @param parts gets the intervals; must be quick and safe to call from several threads
   * @param samples gets every single request, if there is one
   */
  public LoopRecorder(
      LoadDescription load,
      MeasurementStart beginning,
      Consumer<Part> parts,
      @Nullable SampleSink samples) {
    this.beginning = beginning;
    this.parts = parts;
    this.samples = samples;
    requests = load.requests().size();
    highest = load.timeout().toNanos();
    measured = new Intervals(load.timeline().total());
    intervals = Intervals.ENDLESS;
    tally = new Tally(requests, highest);
  }

  /**
   * Begins the first interval at {@code now}; to be called by the load thread.
   *
   * @param clients how many are there at a time, for the log of samples
   */
  public void begin(long now, LongToIntFunction clients) {
    this.clients = clients;
    cpu = THREADS.getCurrentThreadCpuTime();
    if (beginning.isBy(now)) {
      measure(now);
    } else {
      cut(now);
    }
  }

  private void measure(long now) {
    beginning = MeasurementStart.NEVER;
    intervals = measured;
    cut(now);
  }

  /** Begins a sequence of intervals. */
  private void cut(long now) {
    runStart = now;
    start = now;
    end = now + intervals.end(0);
    index = 0;
  }

  /** The first nanosecond after the current interval. */
  public long intervalEnd() {
    return Math.min(end, beginning.time());
  }

  /** Counts a request that has ended. */
  public void ended(Exchange exchange) {
    advance(exchange.end());
    tally.count(exchange);
    if (samples != null) {
      batch.add(exchange.sample(clients.applyAsInt(exchange.start())));
      if (batch.size() == BATCH) {
        handOver(samples);
      }
    }
  }

  @Override
  public void sent(long lag, boolean waited, boolean arrival) {
    tally.sent(lag, waited, arrival);
  }

  /** Counts nanoseconds in which the thread used a CPU and did nothing but look at the clock. */
  public void spun(long nanos) {
    spun += nanos;
  }

  /** Counts how long something that was ready waited for this thread, in nanoseconds. */
  public void delayed(long nanos) {
    tally.delayed(nanos);
  }

  /** Hands over the intervals that ended before {@code now}. */
  public void advance(long now) {
    for (long next = intervalEnd(); next <= now; next = intervalEnd()) {
      if (beginning.isBy(next)) {
        close(next, true);
        measure(next);
      } else {
        close(next, false);
        start = next;
        end = runStart + intervals.end(start - runStart);
      }
    }
  }

  /**
   * Hands over what is left.
   *
   * @param unfinished requests that are under way and will not be waited for
   */
  public void finish(long now, int unfinished) {
    advance(now);
    tally.unfinished(unfinished);
    close(now, true);
  }

  private void close(long end, boolean last) {
    if (samples != null && !batch.isEmpty()) {
      handOver(samples);
    }
    long cpuNow = THREADS.getCurrentThreadCpuTime();
    long used = Math.max(0, cpuNow - cpu - spun);
    parts.accept(new Part(index, start, end, tally, used, held, warmsUp(), last));
    index++;
    tally = new Tally(requests, highest);
    cpu = cpuNow;
    held = 0;
    spun = 0;
  }

  private boolean warmsUp() {
    return intervals != measured;
  }

  private void handOver(SampleSink log) {
    long before = System.nanoTime();
    log.write(batch, warmsUp());
    held += System.nanoTime() - before;
    batch = new ArrayList<>(BATCH);
  }
}
