package io.poolkeeper.testbed.servers.handover;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.spi.EndedTasks;
import java.time.Duration;

/**
 * Measures what goes through the handlers of an executor, from window to window. One lock for all:
 * rings and actors are here to be compared with each other, and pay the same.
 */
public final class Traffic {

  private final long bound;
  private final EndedTasks ended = new EndedTasks();
  private long start;
  private long last;
  private int waiting;
  private int busy;
  private double waitingTime;
  private double busyTime;
  private int mostWaiting;
  private long arrivals;
  private long rejections;

  /**
   * @param now reading of the monotonic clock at which the first window begins, nanoseconds
   */
  public Traffic(Objective objective, long now) {
    bound = objective.bound().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    start = now;
    last = now;
  }

  synchronized void arrived(long now) {
    pass(now);
    arrivals++;
    waiting++;
    mostWaiting = Math.max(mostWaiting, waiting);
  }

  synchronized void rejected(long now) {
    pass(now);
    waiting--;
    rejections++;
  }

  synchronized void begun(long now) {
    pass(now);
    waiting--;
    busy++;
  }

  /** A task that runs from its arrival on. */
  public synchronized void admitted(long now) {
    pass(now);
    arrivals++;
    busy++;
  }

  /** A task that is refused on its arrival. */
  public synchronized void refused(long now) {
    pass(now);
    arrivals++;
    rejections++;
  }

  /** A task that was admitted and then found no thread: it is refused after all. */
  public synchronized void withdrawn(long now) {
    pass(now);
    busy--;
    rejections++;
  }

  /**
   * A task that ran.
   *
   * @param arrival when it came, nanoseconds of the monotonic clock
   * @param begin when it began to run
   * @param now when it ended
   * @param failed whether it threw
   */
  public synchronized void ended(long arrival, long begin, long now, boolean failed) {
    pass(now);
    busy--;
    ended.record(Math.max(0, begin - arrival), Math.max(0, now - begin), failed, bound);
  }

  private void pass(long now) {
    long passed = Math.max(0, now - last);
    waitingTime += (double) waiting * passed;
    busyTime += (double) busy * passed;
    last = Math.max(last, now);
  }

  /** Ends the window that is open, with the size in force, and begins the next. */
  public synchronized Window close(long now, int size) {
    pass(now);
    double length = Math.max(1, now - start);
    long failures = ended.failures();
    long completions = ended.timed() - failures;
    long within = ended.withinBound();
    EndedTasks.Times times = ended.close();
    Window window =
        Window.builder(start, now, size)
            .busy(busyTime / length)
            .queue(waitingTime / length, mostWaiting)
            .arrivals(arrivals)
            .completions(completions)
            .failures(failures)
            .rejections(rejections)
            .withinBound(within)
            .times(times.queueWait(), times.serviceTime(), times.responseTime())
            .build();
    ended.reset();
    start = now;
    waitingTime = 0;
    busyTime = 0;
    mostWaiting = waiting;
    arrivals = 0;
    rejections = 0;
    return window;
  }
}
