package io.poolkeeper.internal.limiter;

import io.poolkeeper.internal.meter.Lane;
import io.poolkeeper.internal.meter.PaddedLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A fair semaphore whose number of permits can change, for threads and for callbacks.
 *
 * <p><b>Where permits are.</b> In one number, the centre, are the free permits (below zero after
 * the limit was lowered under the permits in use) and the waiters. A number that all threads change
 * is slow, so while there is plenty a permit that comes back stays in the {@linkplain Lane lane}
 * that it was taken through, and the next one that enters there takes it without a look at the
 * centre. A lane is closed at first and {@link #open}s for who gives a permit back. When permits
 * run short, or must be counted, all lanes are {@linkplain #closeLanes closed} and what was in them
 * is in the centre; from then on the gate is that one number until there is plenty again. Plenty
 * are {@value #PLENTY} for each lane, so that a closing, one visit to each, is paid by several
 * times as many permits that left the centre before it; with a limit below that no lane opens.
 *
 * <p><b>Who may change what.</b> Permits of a lane, and whether it is open: who has entered it. The
 * centre: anybody, by one atomic change. Lanes are opened and closed, waiters join, and the limit
 * changes under the lock. Who holds the lock may wait for a lane, so nobody in a lane waits for
 * anything.
 *
 * <p><b>Invariants.</b> Free permits of the centre + those of the lanes + permits held = limit,
 * except inside {@link #limit(IntSupplier, long)} and {@link #closeLanes}. A closed lane has no
 * permits. As long as a lane is open the centre says so, and has no waiters. Waiters in the number
 * = waiters in the queue, changed together under the lock.
 *
 * <p><b>Why nobody is forgotten and nobody overtaken.</b> To wait is one change of the centre that
 * finds no permit there while all lanes are closed. A permit given back before a lane was closed
 * has been brought to the centre by the closing; one given back later finds the lane closed, goes
 * to the centre, and sees the waiter. Nobody takes one past a waiter, because lanes are empty and
 * the centre shows it. Whoever finds none while lanes are open closes them and looks again, so that
 * a permit which moved from a lane not looked at yet to one seen before is not missed.
 *
 * <p><b>Progress.</b> Taking a free permit: lock-free. Giving one back waits for who is in the lane
 * of that permit, joining, closing and a changed limit for the lock and for who is in a lane, which
 * takes some tens of nanoseconds.
 *
 * <p><b>Memory.</b> Nothing here allocates, so an exhausted heap costs no permit and forgets no
 * waiter: lanes and waiters are links of lists themselves.
 */
public final class Gate {

  /** A place in the queue. It may join one gate, once. */
  public abstract static class Waiter {
    @Nullable Waiter previous;
    @Nullable Waiter next;

    /** Queue in which it waits now: the gate's, or a later one of {@link Trampoline}. */
    @Nullable WaiterQueue queue;

    /**
     * Holds a permit from now on. Called once, outside the lock; must not throw.
     *
     * @param at time at which the permit came, as the thread that brought it knows it
     */
    protected abstract void admitted(long at);
  }

  private static final int PLENTY = 4;

  private static final long ONE_WAITER = 1L << 33;
  private static final long LANES_OPEN = 1L << 32;

  /** Added to the free permits, so that they never borrow from what is above them. */
  private static final long BIAS = 1L << 31;

  private static final long FREE_BITS = LANES_OPEN - 1;

  private final PaddedLong state;
  private final ReentrantLock lock = new ReentrantLock();
  private final WaiterQueue queue = new WaiterQueue();

  /** The lane opened last, which knows the one before. */
  private @Nullable Lane open;

  private int lanesOpen;
  private int mostWaiting;

  /** Free permits in the centre from which on one more lane opens. */
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
   * Takes a permit out of a lane or the centre, unless somebody waits for it.
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

  /** Takes a permit, wherever one is, unless somebody waits for it. Not for who is in a lane. */
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

  /** Whether nobody can enter before somebody leaves. */
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
   * Joins the queue for a permit, or is admitted at once if by now nobody waits for a free one.
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

  /** Takes a permit, or puts a waiter into the number; returns whether it took a permit. */
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
   * @return false if the waiter holds a permit already, or is about to be told so
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
   * Gives a permit back.
   *
   * @param lane entered by the caller
   * @return if false, {@link #left} must follow as soon as the caller is out of the lane
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
   * Lets waiters have what was given back to the centre, or opens the lane if there is plenty.
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
   * Changes the number of permits; waiters that it makes room for are let in before it returns.
   *
   * @param wanted asked under the lock: of several callers the last one asks for what is in force
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

  /** Number of permits, free or held. */
  public int limit() {
    return limit;
  }

  /** Permits in use now. Closes the lanes, so it is not for every call. */
  public int held() {
    lock(); // Against a change of the limit between the two readings.
    try {
      closeLanes();
      return limit - free(state.get());
    } finally {
      lock.unlock();
    }
  }

  /** Waiters now. */
  public int waiting() {
    return waiting(state.get());
  }

  /** Most waiters at a time since the last call. */
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

  /** Free permits in the centre; negative after the limit was lowered under those in use. */
  private static int free(long state) {
    return (int) ((state & FREE_BITS) - BIAS);
  }

  private static boolean lanesOpen(long state) {
    return (state & LANES_OPEN) != 0;
  }

  private static int waiting(long state) {
    return (int) (state >>> 33);
  }

  /** Lets in as many waiters as there are free permits, the longest waiting first. */
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
    // Outside the lock: code of the user may run here.
    for (Waiter waiter = first; waiter != null; ) {
      Waiter next = waiter.next;
      waiter.next = null;
      waiter.admitted(at);
      waiter = next;
    }
  }

  /** Takes the lock even if there is no memory for a place in its queue. */
  private void lock() {
    try {
      lock.lock();
    } catch (OutOfMemoryError | LinkageError e) { // The latter ever after, if a class had none.
      while (!lock.tryLock()) {
        Thread.onSpinWait();
      }
    }
  }

  /** Takes a free permit for a waiter, and the waiter out of the number. */
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
