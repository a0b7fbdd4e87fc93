package io.poolkeeper.testkit;

import io.poolkeeper.Bounds;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.util.function.IntToDoubleFunction;

/**
 * A pool without threads, whose windows follow a curve: how many tasks a second {@code n} busy
 * workers complete. Its users are closed, without think time: each sends its next task when the
 * last one is answered. So with {@code u} users and size {@code s}, {@code b = min(u, s)} workers
 * are busy, {@code u - b} tasks wait, the throughput is {@code curve(b)}, and by Little's law the
 * response time is {@code u / curve(b)}. There is no noise: every task of a window takes as long as
 * the others.
 *
 * <p>It acts at once: a resize counts from the next window on, and a window has one size.
 */
public final class VirtualPool implements Resizable, Sensor {

  private final String name;
  private final Bounds bounds;
  private final IntToDoubleFunction curve;
  private int size;
  private int users;
  private long start;
  private double unfinished;

  /**
   * @param size size to begin with, within {@code bounds}
   * @param curve completions per second of a number of busy workers, 1 or more; positive
   */
  public VirtualPool(String name, Bounds bounds, int size, IntToDoubleFunction curve) {
    this.name = name;
    this.bounds = bounds;
    this.size = bounds.require("size", size);
    this.curve = curve;
  }

  /**
   * The universal scalability law (Gunther 2007): {@code rate * n / (1 + contention * (n - 1) +
   * coherence * n * (n - 1))}. It has its peak near {@code sqrt((1 - contention) / coherence)}.
   *
   * @param rate completions per second of one worker alone
   * @param contention fraction of the work that only one worker at a time can do
   * @param coherence cost of each pair of workers, as a fraction of the work
   */
  public static IntToDoubleFunction scalability(double rate, double contention, double coherence) {
    return n -> rate * n / (1 + contention * (n - 1) + coherence * n * (n - 1));
  }

  /** Sets how many users there are from now on, 0 or more; a window has one number of them. */
  public void users(int users) {
    if (users < 0) {
      throw new IllegalArgumentException("users must be >= 0, but is " + users);
    }
    this.users = users;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    this.size = bounds.require("size", size);
  }

  @Override
  public Window closeWindow(long now) {
    int busy = Math.min(users, size);
    double throughput = busy == 0 ? 0 : curve.applyAsDouble(busy);
    double work = unfinished + throughput * (now - start) / 1e9;
    long completions = (long) work;
    unfinished = work - completions;
    double service = busy == 0 ? 0 : busy / throughput * 1e9;
    double response = busy == 0 ? 0 : users / throughput * 1e9;
    Window window =
        Window.builder(start, now, size)
            .busy(busy)
            .queue(users - busy, users - busy)
            .completions(completions)
            .times(
                all(completions, response - service),
                all(completions, service),
                all(completions, response))
            .build();
    start = now;
    return window;
  }

  private static TimeStats all(long count, double nanos) {
    long value = Math.round(nanos);
    return count == 0
        ? TimeStats.EMPTY
        : new TimeStats(count, nanos, value, value, value, value, value, value);
  }
}
