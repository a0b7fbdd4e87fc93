package io.tidepool.internal;

import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a pool as its workers meet it: one that finds it empty is idle until it has a task,
 * and what it takes out it measures. To anybody else it is just a queue.
 */
public final class WorkQueue extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {

  private final BlockingQueue<Runnable> queue;
  private final PoolMeter meter;

  /**
   * @param queue what holds the tasks
   */
  public WorkQueue(BlockingQueue<Runnable> queue, PoolMeter meter) {
    this.queue = queue;
    this.meter = meter;
  }

  @FunctionalInterface
  private interface Wait {
    @Nullable Runnable forTask() throws InterruptedException;
  }

  @Override
  public Runnable take() throws InterruptedException {
    Worker worker = Workers.current();
    if (worker == null) {
      return queue.take();
    }
    Runnable next = queue.poll();
    return worker.on(next != null ? next : Objects.requireNonNull(idle(worker, queue::take)));
  }

  @Override
  public @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
    Worker worker = Workers.current();
    if (worker == null) {
      return queue.poll(timeout, unit);
    }
    Runnable next = queue.poll();
    if (next == null) {
      next = idle(worker, () -> queue.poll(timeout, unit));
    }
    return next == null ? null : worker.on(next);
  }

  private @Nullable Runnable idle(Worker worker, Wait wait) throws InterruptedException {
    long since = worker.idle();
    try {
      return wait.forTask();
    } finally {
      meter.queueWasEmpty(since, worker.awake());
    }
  }

  @Override
  public boolean offer(Runnable task) {
    return queue.offer(task);
  }

  @Override
  public boolean offer(Runnable task, long timeout, TimeUnit unit) throws InterruptedException {
    return queue.offer(task, timeout, unit);
  }

  @Override
  public void put(Runnable task) throws InterruptedException {
    queue.put(task);
  }

  @Override
  public @Nullable Runnable poll() {
    return queue.poll();
  }

  @Override
  public @Nullable Runnable peek() {
    return queue.peek();
  }

  @Override
  public int size() {
    return queue.size();
  }

  @Override
  public boolean isEmpty() {
    return queue.isEmpty();
  }

  @Override
  public int remainingCapacity() {
    return queue.remainingCapacity();
  }

  @Override
  public Iterator<Runnable> iterator() {
    return queue.iterator();
  }

  @Override
  public boolean contains(Object task) {
    return queue.contains(task);
  }

  @Override
  public boolean remove(Object task) {
    return queue.remove(task);
  }

  @Override
  public Object[] toArray() {
    return queue.toArray();
  }

  @Override
  public int drainTo(Collection<? super Runnable> sink) {
    return queue.drainTo(sink);
  }

  @Override
  public int drainTo(Collection<? super Runnable> sink, int most) {
    return queue.drainTo(sink, most);
  }
}
