package io.poolkeeper.testbed.controllers.vectors;

import io.poolkeeper.Bounds;
import io.poolkeeper.DiskStats;
import io.poolkeeper.DiskStats.BlockedSource;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A pool whose throughput is a rational function of its size, with noise. It computes with the four
 * basic operations and the square root alone, so that its windows are the same on every machine.
 */
final class VectorPlant {

  private static final long START = 1_000_000_000L;

  /** Bytes of a task. */
  private static final long BYTES = 4096;

  private final SplittableRandom random;
  private final long length;
  private final double noise;
  private final Bounds bounds;
  private long now = START;
  private int size;
  private int changes;
  private double busyBefore;
  private double remainder;

  /**
   * @param seed of the noise
   * @param length of a window, nanoseconds
   * @param noise standard deviation of the throughput, as a fraction
   * @param bounds sizes that the pool accepts
   * @param size the first size
   */
  VectorPlant(long seed, long length, double noise, Bounds bounds, int size) {
    this.random = new SplittableRandom(seed);
    this.length = length;
    this.noise = noise;
    this.bounds = bounds;
    this.size = size;
  }

  /** Takes the nearest size that the pool accepts. */
  void resize(int wanted) {
    int next = bounds.clamp(wanted);
    changes = next == size ? 0 : 1;
    size = next;
  }

  /**
   * Passes a window.
   *
   * @param load of the window
   */
  Window next(VectorLoad load) {
    if (load.late() == 0) {
      return throughout(load);
    }
    return load.late() > 0 ? beginning(load) : ending(load);
  }

  /** Passes a window at whose beginning all tasks end, after four windows of work. */
  private Window ending(VectorLoad load) {
    long start = now;
    now += length;
    long tasks = (long) load.tasks();
    return Window.builder(start, now, size)
        .busy((1 + load.late()) * Math.min(size, load.tasks()))
        .arrivals(0)
        .completions(tasks)
        .times(TimeStats.EMPTY, times(tasks, 4.0 * length), times(tasks, 4.0 * length))
        .build();
  }

  /** Passes a window at whose end all tasks come. */
  private Window beginning(VectorLoad load) {
    double part = 1 - load.late();
    double waiting = Math.max(0, load.tasks() - size);
    long start = now;
    now += length;
    return Window.builder(start, now, size)
        .busy(part * Math.min(size, load.tasks()))
        .queue(part * waiting, (int) Math.ceil(waiting))
        .arrivals((long) load.tasks())
        .build();
  }

  private Window throughout(VectorLoad load) {
    double held = busyBefore > size ? size + (busyBefore - size) * load.staying() : 0;
    double full = Math.max(held, Math.min(size, load.tasks()));
    boolean free = load.rateAt(full) > load.sentTo(size);
    double busy = free ? full * load.sentTo(size) / load.rateAt(full) : full;
    double waiting = free ? 0 : Math.max(0, load.tasks() - busy);
    double rejected = load.rejecting() ? waiting : 0;
    double queued = load.rejecting() ? 0 : waiting;
    double rate =
        (free ? load.sentTo(size) : load.rateAt(busy)) * Math.max(0.05, 1 + noise * normal());
    double done = load.stalled() ? 0 : rate * length / 1e9 + remainder;
    long completions = (long) done;
    remainder = load.stalled() ? remainder : done - completions;
    long failures = (long) (completions * load.failing());
    double service = completions == 0 ? 0 : busy * length / completions;
    double response = completions == 0 ? 0 : (busy + queued) * length / completions;
    long cpu = (long) ((busy * load.computing() + load.polling()) * length);
    long ended = completions + failures;
    busyBefore = busy;
    long start = now;
    now += length;
    return Window.builder(start, now, size)
        .busy(busy)
        .queue(queued, (int) Math.ceil(queued * 1.5))
        .arrivals(ended + (long) rejected)
        .completions(completions)
        .failures(failures)
        .rejections((long) rejected)
        .withinBound(completions * 9 / 10)
        .times(times(ended, response - service), times(ended, service), times(ended, response))
        .cpu(
            load.computing() > 0 ? cpu : Window.NOT_MEASURED,
            load.computing() > 0 ? cpu + length / 20 : Window.NOT_MEASURED)
        .gc((long) (length * load.collecting()))
        .queuedByWorkers(ended > 0 ? Window.NOT_MEASURED : load.nested())
        .disk(
            new DiskStats(
                completions * BYTES,
                completions * BYTES / 2,
                completions * BYTES / 4,
                completions,
                Double.NaN,
                BlockedSource.NONE,
                changes,
                Optional.empty()))
        .build();
  }

  private static TimeStats times(long count, double mean) {
    long whole = (long) mean;
    return new TimeStats(
        count, mean, whole, whole * 2, whole * 5 / 2, whole * 3, whole * 4, whole * 5);
  }

  /** Returns a number that is normal enough: the sum of twelve uniform numbers. */
  private double normal() {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
      sum += random.nextDouble();
    }
    return sum;
  }
}
