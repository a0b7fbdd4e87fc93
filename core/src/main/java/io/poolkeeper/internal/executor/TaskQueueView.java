package io.poolkeeper.internal.executor;

import io.poolkeeper.spi.Ticker;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A view of the queue of a pool with the tasks that users submitted, for rejection policies and
 * inspection. Iterators traverse a snapshot. A thread that waits here for a task competes with the
 * workers and polls ten thousand times a second.
 */
public final class TaskQueueView extends AbstractQueue<Runnable>
    implements BlockingQueue<Runnable> {

  private static final long PAUSE = 100_000;

  private final WorkQueue queue;
  private final Workers workers;
  private final Refusals refusals;
  private final Ticker ticker;

  /**
   * @param refusals informed of tasks that are added here
   * @param ticker the pool's clock
   */
  public TaskQueueView(WorkQueue queue, Workers workers, Refusals refusals, Ticker ticker) {
    this.queue = queue;
    this.workers = workers;
    this.refusals = refusals;
    this.ticker = ticker;
  }

  @Override
  public boolean offer(Runnable body) {
    return added(body, queue.offer(task(body)));
  }

  @Override
  public boolean offer(Runnable body, long timeout, TimeUnit unit) throws InterruptedException {
    return added(body, queue.offer(task(body), unit.toNanos(timeout)));
  }

  @Override
  public void put(Runnable body) throws InterruptedException {
    Task task = task(body);
    boolean added = false;
    while (!added) {
      added = queue.offer(task, Long.MAX_VALUE);
    }
    added(body, true);
  }

  private Task task(Runnable body) {
    Task task = new Task(Objects.requireNonNull(body, "task"), ticker.nanoTime());
    workers.noteSubmitter(task);
    return task;
  }

  private boolean added(Runnable body, boolean added) {
    if (added) {
      refusals.taken(body);
      workers.ensureWorker();
    }
    return added;
  }

  @Override
  public @Nullable Runnable poll() {
    Runnable element = queue.poll();
    if (element == null) {
      return null;
    }
    Runnable body = Task.take(element);
    workers.tasksWereRemoved();
    return body;
  }

  @Override
  public @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
    long nanos = unit.toNanos(timeout);
    long began = System.nanoTime();
    Runnable body = poll();
    while (body == null && System.nanoTime() - began < nanos) {
      LockSupport.parkNanos(this, PAUSE);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      body = poll();
    }
    return body;
  }

  @Override
  public Runnable take() throws InterruptedException {
    Runnable body = null;
    while (body == null) {
      body = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }
    return body;
  }

  @Override
  public @Nullable Runnable peek() {
    List<Runnable> elements = queue.elements();
    return elements.isEmpty() ? null : Task.body(elements.get(0));
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
  public boolean remove(@Nullable Object task) {
    boolean removed = queue.remove((element, body) -> body.equals(task), 1) > 0;
    workers.tasksWereRemoved();
    return removed;
  }

  @Override
  public boolean removeIf(Predicate<? super Runnable> which) {
    int removed = queue.remove((element, body) -> which.test(body), Integer.MAX_VALUE);
    workers.tasksWereRemoved();
    return removed > 0;
  }

  @Override
  public Iterator<Runnable> iterator() {
    Iterator<Runnable> elements = queue.elements().iterator();
    return new Iterator<>() {
      private @Nullable Runnable last;

      @Override
      public boolean hasNext() {
        return elements.hasNext();
      }

      @Override
      public Runnable next() {
        Runnable element = elements.next();
        last = element;
        return Task.body(element);
      }

      @Override
      public void remove() {
        Runnable gone = last;
        if (gone == null) {
          throw new IllegalStateException("nothing to remove: call next() first");
        }
        last = null;
        queue.remove((element, body) -> element == gone, 1);
        workers.tasksWereRemoved();
      }
    };
  }

  @Override
  public int drainTo(Collection<? super Runnable> sink) {
    return drainTo(sink, Integer.MAX_VALUE);
  }

  @Override
  public int drainTo(Collection<? super Runnable> sink, int most) {
    int drained = 0;
    for (Runnable body = drained < most ? poll() : null; body != null; ) {
      sink.add(body);
      drained++;
      body = drained < most ? poll() : null;
    }
    return drained;
  }
}
