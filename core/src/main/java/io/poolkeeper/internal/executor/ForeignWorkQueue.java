package io.poolkeeper.internal.executor;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Adapter of a queue that the user chose. Workers wait inside that queue, so an interrupt wakes
 * them when they may have to leave.
 */
public final class ForeignWorkQueue extends WorkQueue {

  /** Searches for an element that others remove first: a user's queue may never remove any. */
  private static final int MOST_ROUNDS = 100;

  private final BlockingQueue<Runnable> queue;
  private final LongAdder added = new LongAdder();

  /** Linked list of the waiting workers, the latest first; guarded by this queue. */
  private @Nullable Worker newest;

  public ForeignWorkQueue(BlockingQueue<Runnable> queue) {
    this.queue = queue;
  }

  @Override
  public boolean offer(Task task) {
    return counted(queue.offer(task));
  }

  @Override
  public boolean offer(Task task, long nanos) throws InterruptedException {
    return counted(queue.offer(task, nanos, TimeUnit.NANOSECONDS));
  }

  private boolean counted(boolean offered) {
    if (offered) {
      added.increment();
    }
    return offered;
  }

  @Override
  public @Nullable Runnable poll() {
    return queue.poll();
  }

  @Override
  @Nullable Runnable await(Worker worker, long nanos) {
    startWaiting(worker);
    try {
      if (worker.mayHaveToLeave()) {
        return null;
      }
      return nanos == Long.MAX_VALUE ? queue.take() : queue.poll(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return null;
    } finally {
      stopWaiting(worker);
      Worker.clearInterrupt(); // It came with the task, or belongs to a task that has ended.
    }
  }

  private synchronized void startWaiting(Worker worker) {
    worker.older = newest;
    newest = worker;
  }

  private synchronized void stopWaiting(Worker worker) {
    newest = Worker.without(worker, newest);
  }

  @Override
  synchronized void wakeAll() {
    for (Worker each = newest; each != null; each = each.older) {
      each.thread().interrupt();
    }
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
  public int submittedByWorkers() {
    int count = 0;
    int seen = 0;
    for (Iterator<Runnable> each = queue.iterator(); seen < MOST_COUNTED && each.hasNext(); ) {
      count += Task.isFromWorker(each.next()) ? 1 : 0;
      seen++;
    }
    return count;
  }

  @Override
  public int remainingCapacity() {
    return queue.remainingCapacity();
  }

  @Override
  public long added() {
    return added.sum();
  }

  @Override
  public int remove(BiPredicate<Runnable, Runnable> which, int most) {
    int removed = 0;
    boolean overtaken = true;
    for (int round = 0; overtaken && removed < most && round < MOST_ROUNDS; round++) {
      overtaken = false; // By a thread that took an element; another may have come since.
      for (Iterator<Runnable> each = queue.iterator(); removed < most && each.hasNext(); ) {
        Runnable element = each.next();
        if (which.test(element, Task.body(element))) {
          boolean found = queue.remove(element);
          removed += found ? 1 : 0;
          overtaken |= !found;
        }
      }
    }
    return removed;
  }

  @Override
  public List<Runnable> elements() {
    return List.of(queue.toArray(Runnable[]::new));
  }

  /** Also removes elements that the queue does not yield yet, such as delayed ones. */
  @Override
  public List<Runnable> drain() {
    List<Runnable> bodies = super.drain();
    for (Runnable element : elements()) {
      if (queue.remove(element)) {
        bodies.add(Task.take(element));
      }
    }
    return bodies;
  }
}
