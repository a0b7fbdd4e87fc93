package io.poolkeeper.internal.executor;

import io.poolkeeper.internal.meter.Lane;
import io.poolkeeper.internal.meter.Padding;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A linked queue of tasks, first in, first out, that wakes the workers waiting for tasks.
 *
 * <p><b>Two ends.</b> A thread that adds replaces the last node with one compare-and-set and then
 * links the two. A thread that takes or removes holds the lane of the front for some tens of
 * nanoseconds. The index of a node counts the tasks up to it, and the front counts the removed
 * tasks; so the size is a difference, and the two ends share no counter. A task whose node is not
 * linked yet is already in the queue: takers wait for the link.
 *
 * <p><b>Waking.</b> A worker that finds nothing is <em>searching</em> and then <em>idle</em>; only
 * idle workers sleep. Adding a task wakes an idle worker unless a worker is searching. No task is
 * overlooked, because each side writes before it reads: adding appends the task and then reads the
 * number of searchers; a worker that stops searching writes that and then checks the queue again. A
 * searcher that finds a task wakes another worker if more tasks wait. So a burst wakes as many
 * workers as it needs, and a stream of tasks to a searching worker wakes none.
 *
 * <p><b>Spinning.</b> A searcher spins for some microseconds if fewer workers are active than there
 * are processors.
 */
public final class LinkedWorkQueue extends WorkQueue {

  private static final VarHandle LAST;
  private static final VarHandle FIRST;
  private static final VarHandle GONE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LAST = lookup.findVarHandle(Back.class, "last", Task.class);
      FIRST = lookup.findVarHandle(Front.class, "first", Task.class);
      GONE = lookup.findVarHandle(Front.class, "gone", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    // Links all handles early: linking takes memory, which may be missing between two steps.
    LinkedWorkQueue any = new LinkedWorkQueue(1);
    any.offer(new Task());
    any.poll();
  }

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  /** Checks of the queue before a searcher sleeps; about 10 µs, the cost of waking it. */
  private static final int SPINS = 300;

  /** Nanoseconds, 10 ms. A taker may miss a thread that begins to wait for room at that moment. */
  private static final long LONGEST_WAIT_FOR_ROOM = 10_000_000;

  /** The end where tasks are added. */
  private static class Back extends Padding {
    volatile Task last;

    /** Lower bound of the removed tasks, so that adding seldom reads the other end. */
    volatile long goneAtLeast;

    Back(Task node) {
      last = node;
    }
  }

  /** The end where tasks are taken, by the thread in the lane. */
  private static class Front extends Lane {
    /** Attempts before a nap; the wait doubles after each. */
    private static final int TRIES = 2;

    /** Nanoseconds, 50 µs. */
    private static final long NAP = 50_000;

    /** A node whose task was removed; its successor holds the first task. */
    volatile Task first;

    /** Number of tasks taken or removed so far. */
    volatile long gone;

    Front(Task node) {
      first = node;
    }

    /**
     * Enters the lane. A thread that fails several times in a row naps: if others pass so fast, the
     * tasks are so short that fewer workers do more; and if the thread inside has lost its
     * processor, spinning would keep it from running.
     */
    void enter() {
      for (int tries = 0; !tryEnter(); tries++) {
        if (tries < TRIES) {
          for (int spins = 1 << tries; spins > 0; spins--) {
            Thread.onSpinWait();
          }
        } else {
          LockSupport.parkNanos(NAP);
        }
      }
    }

    /** Records that the task of a node was taken or removed. */
    void markGone(Task task) {
      task.gone = true;
      GONE.setRelease(this, (long) GONE.get(this) + 1);
    }
  }

  private final int capacity;
  private final IdleWorkers idle = new IdleWorkers();
  private final Back back;
  private final Front front;

  /** Guards the wait for room, of policies that wait. */
  private final Object room = new Object();

  private volatile int waitingForRoom;

  /**
   * @param capacity most tasks that may wait; {@link Integer#MAX_VALUE} for any number
   */
  public LinkedWorkQueue(int capacity) {
    this.capacity = capacity;
    Task node = new Task();
    back = new Back(node);
    front = new Front(node);
  }

  @Override
  public boolean offer(Task task) {
    for (; ; ) {
      Task last = back.last;
      if (last.index - back.goneAtLeast < capacity || !isFull(last)) {
        task.index = last.index + 1;
        if (LAST.compareAndSet(back, last, task)) {
          last.next(task);
          idle.wakeUnlessSearching();
          return true;
        }
      } else if (last == back.last) {
        return false; // Still full: nothing was added since the check.
      }
    }
  }

  private boolean isFull(Task last) {
    long gone = front.gone;
    back.goneAtLeast = gone;
    return last.index - gone >= capacity;
  }

  @Override
  public boolean offer(Task task, long nanos) throws InterruptedException {
    long began = System.nanoTime();
    boolean added = offer(task);
    for (long left = nanos; !added && left > 0; left = nanos - (System.nanoTime() - began)) {
      awaitRoom(Math.min(left, LONGEST_WAIT_FOR_ROOM));
      added = offer(task);
    }
    return added;
  }

  private void awaitRoom(long nanos) throws InterruptedException {
    synchronized (room) {
      waitingForRoom++;
      try {
        if (remainingCapacity() == 0) {
          TimeUnit.NANOSECONDS.timedWait(room, nanos);
        }
      } finally {
        waitingForRoom--;
      }
    }
  }

  @Override
  public @Nullable Runnable poll() {
    Task first = front.first;
    if (first.next() == null && first == back.last) {
      return null;
    }
    Task taken = take();
    if (waitingForRoom > 0) {
      synchronized (room) {
        room.notifyAll();
      }
    }
    return taken;
  }

  private @Nullable Task take() {
    front.enter();
    try {
      Task node = front.first;
      for (Task next = after(node); next != null; next = after(node)) {
        boolean waits = !next.gone;
        if (waits) {
          front.markGone(next);
        }
        FIRST.setRelease(front, next);
        node.next(null); // Old nodes must not keep young ones alive.
        if (waits) {
          return next;
        }
        node = next;
      }
      return null;
    } finally {
      front.exit();
    }
  }

  /** Returns the next node; waits for the link if it is just being added. */
  private @Nullable Task after(Task node) {
    Task next = node.next();
    for (int tries = 0; next == null && node != back.last; tries++) {
      Lane.pause(tries);
      next = node.next();
    }
    return next;
  }

  @Override
  @Nullable Runnable await(Worker worker, long nanos) {
    idle.search();
    Runnable task;
    try {
      task = spin(worker);
      if (task == null) {
        sleep(worker, nanos);
        task = poll();
      }
    } finally { // A virtual thread may find no memory to park.
      idle.searched();
    }
    if (!isEmpty()) {
      idle.wakeUnlessSearching();
    }
    return task;
  }

  private @Nullable Runnable spin(Worker worker) {
    Runnable task = poll();
    for (int spins = 0; task == null && spins < SPINS && leavesAProcessor(worker); spins++) {
      Thread.onSpinWait();
      task = poll();
    }
    return task;
  }

  private boolean leavesAProcessor(Worker worker) {
    return worker.poolSize() - idle.asleep() < PROCESSORS;
  }

  /** Sleeps until there may be a task or a reason to leave. */
  private void sleep(Worker worker, long nanos) {
    long began = nanos == Long.MAX_VALUE ? 0 : System.nanoTime();
    long left = nanos;
    idle.sleep(worker);
    try {
      while (worker.asleep && left > 0 && isEmpty() && !worker.mayHaveToLeave()) {
        if (nanos == Long.MAX_VALUE) {
          LockSupport.park(this);
        } else {
          LockSupport.parkNanos(this, left);
          left = nanos - (System.nanoTime() - began);
        }
        Worker.clearInterrupt(); // It was meant for a task that has ended.
      }
    } finally {
      idle.wake(worker);
    }
  }

  @Override
  void wakeAll() {
    idle.wakeAll();
  }

  @Override
  public boolean isEmpty() {
    // Read first: if it equals the number added, the queue was empty at both readings.
    long gone = front.gone;
    return back.last.index == gone;
  }

  @Override
  public int size() {
    long gone;
    long added;
    do {
      gone = front.gone;
      added = back.last.index;
    } while (gone != front.gone);
    return (int) Math.min(Integer.MAX_VALUE, added - gone);
  }

  @Override
  public int submittedByWorkers() {
    int count = 0;
    int seen = 0;
    front.enter();
    try {
      Task task = after(front.first);
      for (; task != null && seen < MOST_COUNTED; task = after(task)) {
        seen += task.gone ? 0 : 1;
        count += !task.gone && Task.isFromWorker(task) ? 1 : 0;
      }
    } finally {
      front.exit();
    }
    return count;
  }

  @Override
  public int remainingCapacity() {
    return capacity == Integer.MAX_VALUE ? capacity : Math.max(0, capacity - size());
  }

  @Override
  public long added() {
    return back.last.index;
  }

  @Override
  public int remove(BiPredicate<Runnable, Runnable> which, int most) {
    int removed = 0;
    boolean overtaken = true;
    while (overtaken && removed < most) {
      overtaken = false; // By a thread that took one of those found; another may have come since.
      List<Task> found = waiting(which);
      front.enter();
      try {
        for (int i = 0; i < found.size() && removed < most; i++) {
          Task task = found.get(i);
          if (task.gone) {
            overtaken = true;
          } else {
            front.markGone(task);
            task.clear();
            removed++;
          }
        }
        unlinkGone();
      } finally {
        front.exit();
      }
    }
    return removed;
  }

  /** Returns the tasks that wait and match. Users' code runs outside the lane. */
  private List<Task> waiting(BiPredicate<Runnable, Runnable> which) {
    List<Runnable> bodies = new ArrayList<>();
    List<Task> found = new ArrayList<>();
    front.enter();
    try {
      for (Task task = after(front.first); task != null; task = after(task)) {
        if (!task.gone) {
          found.add(task);
          bodies.add(Task.body(task)); // Read here: a removed task loses its body.
        }
      }
    } finally {
      front.exit();
    }
    Iterator<Runnable> body = bodies.iterator();
    found.removeIf(task -> !which.test(task, body.next()));
    return found;
  }

  /** Unlinks all but the last node, to which another thread may be linking the next one. */
  private void unlinkGone() {
    Task before = front.first;
    for (Task task = after(before); task != null; task = after(before)) {
      Task next = task.gone ? after(task) : null;
      if (next == null) {
        before = task;
      } else {
        before.next(next);
      }
    }
  }

  @Override
  public List<Runnable> elements() {
    List<Runnable> elements = new ArrayList<>(size() + 1);
    front.enter();
    try {
      for (Task task = after(front.first); task != null; task = after(task)) {
        if (!task.gone) {
          elements.add(task);
        }
      }
    } finally {
      front.exit();
    }
    return elements;
  }
}
