package io.poolkeeper.testbed.load.measure;

import com.sun.management.OperatingSystemMXBean;
import io.poolkeeper.testbed.clients.Timeline;
import io.poolkeeper.testbed.load.description.LoadDescription;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts the intervals of the load threads together. An interval is complete when every thread has
 * handed its part over, or had ended before.
 */
public final class IntervalMerger {

  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final Timeline timeline;
  private final OfferedRequests offered;
  private final int requests;
  private final long highest;
  private final long runStart;
  private final Map<Integer, List<LoopRecorder.Part>> parts = new HashMap<>();
  private int running;
  private int next;
  private long cpu = SYSTEM.getProcessCpuTime();

  /**
   * @param threads load threads
   * @param runStart when the load begins
   */
  public IntervalMerger(LoadDescription load, int threads, long runStart) {
    this.runStart = runStart;
    running = threads;
    timeline = load.timeline();
    offered = new OfferedRequests(load);
    requests = load.requests().size();
    highest = load.timeout().toNanos();
  }

  /** Takes a part; returns the interval that it completes, if it does. */
  public Optional<Interval> add(LoopRecorder.Part part) {
    List<LoopRecorder.Part> siblings =
        parts.computeIfAbsent(part.index(), unused -> new ArrayList<>());
    siblings.add(part);
    // Each thread hands its parts over in order, so the interval that fills up is the next one.
    if (part.index() != next || siblings.size() < running) {
      return Optional.empty();
    }
    parts.remove(next);
    next++;
    running -= (int) siblings.stream().filter(LoopRecorder.Part::last).count();
    return Optional.of(merge(siblings));
  }

  /** Whether all threads have ended and all intervals were returned. */
  public boolean finished() {
    return running == 0;
  }

  private Interval merge(List<LoopRecorder.Part> siblings) {
    Tally tally = new Tally(requests, highest);
    long start = siblings.get(0).start();
    long end = start;
    double busiest = 0;
    long held = 0;
    for (LoopRecorder.Part part : siblings) {
      tally.add(part.tally());
      end = Math.max(end, part.end());
      double length = Math.max(1, part.end() - part.start());
      busiest = Math.max(busiest, part.cpu() / length);
      held += part.held();
    }
    long cpuNow = SYSTEM.getProcessCpuTime();
    long used = cpuNow - cpu;
    cpu = cpuNow;
    long lastTime = lastTime(start - runStart, end - runStart);
    return new Interval(
        start,
        end,
        timeline.phase(lastTime),
        timeline.users(lastTime),
        tally,
        used,
        busiest,
        offered.until(end - runStart, tally),
        held);
  }

  /** The last nanosecond of an interval, or of the load if that ends within the interval. */
  private long lastTime(long start, long end) {
    long total = timeline.total();
    return start < total ? Math.min(end, total) - 1 : end;
  }
}
