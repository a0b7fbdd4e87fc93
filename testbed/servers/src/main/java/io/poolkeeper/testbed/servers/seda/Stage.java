package io.poolkeeper.testbed.servers.seda;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A stage: a queue of events, and handlers that take them out in batches (Welsh, Culler, Brewer:
 * SEDA, 2001). Taking several at once spares hand-overs where events come fast, and costs nothing
 * where they do not, since a handler never waits for a batch to fill.
 */
final class Stage<E> implements AutoCloseable {

  /** Events that a handler takes before it lets the next one have its turn. */
  private static final int BATCH = 8;

  private final ExecutorService handlers;
  private final int most;
  private final Consumer<E> work;
  private final Queue<E> events = new ConcurrentLinkedQueue<>();

  /** Handlers at work on the queue, or on their way to it. */
  private final AtomicInteger active = new AtomicInteger();

  /**
   * @param handlers what runs them; shut down with the stage
   * @param most handlers that may work at once
   */
  Stage(ExecutorService handlers, int most, Consumer<E> work) {
    this.handlers = handlers;
    this.most = most;
    this.work = work;
  }

  /**
   * Queues an event.
   *
   * @throws RejectedExecutionException if there is no handler for it and none is to be had; it is
   *     not queued then
   */
  void enqueue(E event) {
    events.add(event);
    try {
      begin();
    } catch (RejectedExecutionException e) {
      if (events.remove(event)) {
        throw e;
      }
    }
  }

  /** Sends a handler, unless there are as many as may be: they look again before they leave. */
  private void begin() {
    int now = active.get();
    while (now < most) {
      if (active.compareAndSet(now, now + 1)) {
        send();
        return;
      }
      now = active.get();
    }
  }

  private void send() {
    try {
      handlers.execute(this::handle);
    } catch (RejectedExecutionException e) {
      active.decrementAndGet();
      throw e;
    }
  }

  private void handle() {
    try {
      int left = BATCH;
      for (E next = events.poll(); next != null; next = --left > 0 ? events.poll() : null) {
        work.accept(next);
      }
    } finally {
      active.decrementAndGet();
      if (!events.isEmpty()) {
        try {
          begin();
        } catch (RejectedExecutionException e) {
          // Shut down in between: what is left is done here.
          events.forEach(event -> finish(event));
        }
      }
    }
  }

  @Override
  public void close() {
    handlers.shutdown();
  }

  private void finish(E event) {
    if (events.remove(event)) {
      work.accept(event);
    }
  }
}
