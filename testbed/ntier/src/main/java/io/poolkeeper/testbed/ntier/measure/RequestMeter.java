package io.poolkeeper.testbed.ntier.measure;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures requests and the threads that handle them. A request counts from the moment at which the
 * host hands its connection to the pool, the wait for a thread included, until it was answered.
 */
public final class RequestMeter {

  private final LongSupplier clock;
  private final Occupancy threads;
  private final LongAdder requests = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder responseNanos = new LongAdder();

  /** Arrival of the task that this thread runs, until its first request has taken it. */
  private final ThreadLocal<@Nullable Long> arrival = new ThreadLocal<>();

  /**
   * @param clock nanoseconds of a monotonic clock
   */
  public RequestMeter(LongSupplier clock) {
    this.clock = clock;
    threads = new Occupancy(clock);
  }

  /** Returns an executor that measures the tasks which {@code pool} runs. */
  public Executor measure(Executor pool) {
    return task -> {
      long arrived = clock.getAsLong();
      pool.execute(() -> run(task, arrived));
    };
  }

  private void run(Runnable task, long arrived) {
    threads.enter();
    arrival.set(arrived);
    try {
      task.run();
    } finally {
      arrival.remove();
      threads.exit();
    }
  }

  /**
   * Counts a request that was answered.
   *
   * @param begun when the host began to read it: its arrival, if it is not the first of its task
   * @param failed whether its answer is an error
   */
  public void answered(long begun, boolean failed) {
    Long taken = arrival.get();
    arrival.remove();
    responseNanos.add(clock.getAsLong() - (taken == null ? begun : taken));
    requests.increment();
    if (failed) {
      errors.increment();
    }
  }

  /** Threads that run a task. */
  public Occupancy.Reading threads() {
    return threads.read();
  }

  /** Requests that were answered since the start. */
  public long requests() {
    return requests.sum();
  }

  /** Requests that were answered with an error since the start. */
  public long errors() {
    return errors.sum();
  }

  /** Sum of their response times, nanoseconds. */
  public long responseNanos() {
    return responseNanos.sum();
  }
}
