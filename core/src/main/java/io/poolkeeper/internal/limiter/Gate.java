package io.poolkeeper.internal.limiter;

import io.poolkeeper.internal.meter.Lane;
import io.poolkeeper.internal.meter.PaddedLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A fair semaphore whose number of permits can change, for threads and for callbacks.
 *
 * <p><b>Where permits are.</b> One number, the centre, holds the number of free permits (negative
 * after the limit was lowered below the permits in use) and of waiters. A number that all threads
 * change is slow. So while there are plenty of permits, a returned permit stays in the {@linkplain
 * Lane lane} through which it was taken, and the next thread that enters there takes it without
 * reading the centre. A lane is closed at first; returning a permit {@link #open}s it. When permits
 * run short or must be counted, all lanes are {@linkplain #closeLanes closed} and their permits go
 * to the centre. From then on the gate is that one number until there are plenty again. Plenty
 * means {@value #PLENTY} for each lane: closing visits each lane once, which is cheap compared with
 * that many permits. With a lower limit no lane opens.
 *
 * <p><b>Guards.</b> The permits of a lane, and whether it is open, change inside the lane. The
 * centre changes by one atomic operation of any thread. Opening and closing lanes, joining of
 * waiters and changes of the limit happen under the lock. A thread that holds the lock may wait for
 * a lane, so a thread in a lane must not wait for anything.
 *
 * <p><b>Invariants.</b> Free permits of the centre + those of the lanes + permits held = limit,
 * except inside {@link #limit(IntSupplier, long)} and {@link #closeLanes}. A closed lane has no
 * permits. The centre knows whether any lane is open; then it has no waiters. Waiters in the number
 * = waiters in the queue; both change together under the lock.
 *
 * <p><b>Why no waiter is forgotten or overtaken.</b> A waiter joins by one change of the centre
 * that finds no permit there while all lanes are closed. If a permit was returned before its lane
 * was closed, the closing has brought it to the centre. If it is returned later, it finds the lane
 * closed, goes to the centre and sees the waiter. No thread overtakes a waiter, because lanes are
 * empty and the centre shows the waiter. A thread that finds no permit while lanes are open closes
 * them and tries again, so it cannot miss a permit that moved between two lanes.
 *
 * <p><b>Progress.</b> Taking a free permit is lock-free. Returning one waits for the thread in the
 * lane of that permit. Joining, closing and changing the limit wait for the lock and for threads in
 * lanes, which stay there for some tens of nanoseconds.
 *
 * <p><b>Memory.</b> Nothing here allocates, so an exhausted heap loses no permit and no waiter:
 * lanes and waiters are their own list nodes.
 */
public final class Gate {

  /** A place in the queue. It may join one gate, once. */
  public abstract static class Waiter {
    @Nullable Waiter previous;
    @Nullable Waiter next;

    /** Queue in which it waits: that of the gate, or later one of {@link Trampoline}. */
    @Nullable WaiterQueue queue;

    /**
     * Grants the permit. Called once, outside the lock; must not throw.
     *
     * @param at time of the grant, read by the granting thread
     */
    protected abstract void admitted(long at);
  }

  private static final int PLENTY = 4;

  private static final long ONE_WAITER = 1L << 33;
  private static final long LANES_OPEN = 1L << 32;

  /** Offset of the free permits, so that they never borrow from the bits above. */
  private static final long BIAS = 1L << 31;

  private static final long FREE_BITS = LANES_OPEN - 1;

  private final PaddedLong state;
  private final ReentrantLock lock = new ReentrantLock();
  private final WaiterQueue queue = new WaiterQueue();

  /** The lane opened last; lanes link to the one opened before. */
  private @Nullable Lane open;

  private int lanesOpen;
  private int mostWaiting;

  /** Free permits in the centre above which one more lane opens. */
  private volatile int plenty = PLENTY;

  private volatile int limit;

  /**
   * @param limit permits, 1 or more
   */
  public Gate(int limit) {
    this.limit = limit;
    this.state = new PaddedLong(BIAS + limit);
  }

  /**
   * Takes a permit from a lane or the centre, unless a waiter wants it.
   *
   * @param lane entered by the caller
   * @return if false, {@link #tryEnterFromAll} decides
   */
  public boolean tryEnter(Lane lane) {
    if (lane.permits > 0) {
      lane.permits--;
      return true;
    }
    return takeFromCentre();
  }

  /** Takes a permit from any place, unless a waiter wants it. Not for a thread in a lane. */
  public boolean tryEnterFromAll() {
    if (full()) {
      return false;
    }
    lock();
    try {
      closeLanes();
      return takeFromCentre();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether no permit is free. */
  public boolean full() {
    long seen = state.get();
    return !lanesOpen(seen) && (waiting(seen) > 0 || free(seen) <= 0);
  }

  private boolean takeFromCentre() {
    while (true) {
      long seen = state.get();
      if (waiting(seen) > 0 || free(seen) <= 0) {
        return false;
      }
      if (state.compareAndSet(seen, seen - 1)) {
        return true;
      }
    }
  }

  /**
   * Queues a waiter, or admits it at once if a permit is free and nobody waits.
   *
   * @param at time now
   */
  public void join(Waiter waiter, long at) {
    boolean admitted;
    lock();
    try {
      closeLanes();
      admitted = takeOrWait();
      if (!admitted) {
        queue.add(waiter);
        mostWaiting = Math.max(mostWaiting, queue.size());
      }
    } finally {
      lock.unlock();
    }
    if (admitted) {
      waiter.admitted(at);
    }
  }

  /** Takes a permit, or adds a waiter to the number; returns whether it took a permit. */
  private boolean takeOrWait() {
    while (true) {
      long seen = state.get();
      boolean takes = waiting(seen) == 0 && free(seen) > 0;
      if (state.compareAndSet(seen, takes ? seen - 1 : seen + ONE_WAITER)) {
        return takes;
      }
    }
  }

  /**
   * Leaves the queue.
   *
   * @return false if a permit has been granted to the waiter, or is just being granted
   */
  public boolean giveUp(Waiter waiter) {
    lock();
    try {
      boolean waited = queue.remove(waiter);
      if (waited) {
        state.getAndAdd(-ONE_WAITER);
      }
      return waited;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a permit.
   *
   * @param lane entered by the caller
   * @return if false, the caller must leave the lane and call {@link #left}
   */
  public boolean leave(Lane lane) {
    if (lane.open) {
      lane.permits++;
      return true;
    }
    long before = state.getAndAdd(1);
    return waiting(before) == 0 && free(before) + 1 < plenty;
  }

  /**
   * Grants permits of the centre to waiters, or opens the lane if there are plenty.
   *
   * @param at time now
   */
  public void left(Lane lane, long at) {
    if (waiting(state.get()) > 0) {
      serve(at);
    } else if (lock.tryLock()) {
      try {
        open(lane);
      } finally {
        lock.unlock();
      }
    }
  }

  private void open(Lane lane) {
    long seen = state.get();
    // A lane is opened and closed under the lock, so its mark may be read without entering.
    if (waiting(seen) == 0 && free(seen) >= plenty && !lane.open && lane.tryEnter()) {
      if (open == null) {
        state.getAndAdd(LANES_OPEN);
      }
      lane.openBefore = open;
      open = lane;
      lanesOpen++;
      plenty = PLENTY * (lanesOpen + 1);
      lane.open = true;
      lane.exit();
    }
  }

  private void closeLanes() {
    if (open == null) {
      return;
    }
    int brought = 0;
    for (Lane lane = open; lane != null; ) {
      lane.enterNext();
      brought += lane.permits;
      lane.permits = 0;
      lane.open = false;
      lane.exit();
      Lane before = lane.openBefore;
      lane.openBefore = null;
      lane = before;
    }
    open = null;
    lanesOpen = 0;
    plenty = PLENTY;
    state.getAndAdd(brought - LANES_OPEN);
  }

  /**
   * Changes the number of permits; waiters that now get one are admitted before it returns.
   *
   * @param wanted read under the lock, so that the last of several callers reads the value in force
   * @param at time now
   */
  public void limit(IntSupplier wanted, long at) {
    lock();
    try {
      int next = wanted.getAsInt();
      closeLanes();
      int more = next - limit;
      limit = next;
      state.getAndAdd(more);
    } finally {
      lock.unlock();
    }
    serve(at);
  }

  /** Returns the number of permits, free or held. */
  public int limit() {
    return limit;
  }

  /** Returns the number of permits in use. Closes the lanes, so it must be called rarely. */
  public int held() {
    lock(); // So that the limit does not change between the two readings.
    try {
      closeLanes();
      return limit - free(state.get());
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of waiters. */
  public int waiting() {
    return waiting(state.get());
  }

  /** Returns the largest number of waiters since the last call. */
  public int takeMostWaiting() {
    lock();
    try {
      int most = mostWaiting;
      mostWaiting = queue.size();
      return most;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the free permits in the centre; negative after the limit was lowered below those in
   * use.
   */
  private static int free(long state) {
    return (int) ((state & FREE_BITS) - BIAS);
  }

  private static boolean lanesOpen(long state) {
    return (state & LANES_OPEN) != 0;
  }

  private static int waiting(long state) {
    return (int) (state >>> 33);
  }

  /** Admits as many waiters as there are free permits, the longest waiting first. */
  private void serve(long at) {
    Waiter first = null;
    Waiter last = null;
    lock();
    try {
      while (!queue.isEmpty() && takeForWaiter()) {
        Waiter waiter = queue.remove();
        if (last == null) {
          first = waiter;
        } else {
          last.next = waiter;
        }
        last = waiter;
      }
    } finally {
      lock.unlock();
    }
    // Outside the lock, because user code may run here.
    for (Waiter waiter = first; waiter != null; ) {
      Waiter next = waiter.next;
      waiter.next = null;
      waiter.admitted(at);
      waiter = next;
    }
  }

  /** Takes the lock even if there is no memory for a node in its queue. */
  private void lock() {
    try {
      lock.lock();
    } catch (OutOfMemoryError | LinkageError e) {
      // The latter if a class could not be loaded for lack of memory.
      while (!lock.tryLock()) {
        Thread.onSpinWait();
      }
    }
  }

  /** Takes a free permit for a waiter, and removes the waiter from the number. */
  private boolean takeForWaiter() {
    while (true) {
      long seen = state.get();
      if (free(seen) <= 0) {
        return false;
      }
      if (state.compareAndSet(seen, seen - 1 - ONE_WAITER)) {
        return true;
      }
    }
  }
}
