package io.poolkeeper.testbed.servers.handover;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An executor on an LMAX Disruptor ring. Handlers compete for its events: each claims the oldest
 * that nobody has claimed, as in the worker pool that the library had up to version 3. So handlers
 * can join and leave, and one that is held up in its work holds up no other: its event has left the
 * ring.
 */
public final class RingExecutor extends HandlerPool {

  /** Slots of the ring; work that finds none is rejected. */
  private static final int SLOTS = 16_384;

  /** A slot of the ring; empty once its work was taken. */
  private static final class Slot extends AtomicReference<HandlerPool.Work> {
    private static final long serialVersionUID = 1L;

    /** Waits for the moment between the claim of the work before and its taking. */
    void put(Work work) {
      while (!compareAndSet(null, work)) {
        Thread.onSpinWait();
      }
    }
  }

  /** Claims an event, does its work, and claims the next. */
  private final class Handler implements Runnable {
    private final SequenceBarrier barrier = ring.newBarrier();
    private volatile boolean leaving;

    @Override
    public void run() {
      while (!leaving) {
        long next = claimed.get() + 1;
        try {
          if (barrier.waitFor(next) >= next && !leaving && claimed.compareAndSet(next - 1, next)) {
            Work work = ring.get(next).getAndSet(null);
            work.run();
          }
        } catch (AlertException e) {
          // It was told to leave.
        } catch (InterruptedException e) {
          // It was meant for work that has ended.
        } catch (TimeoutException e) {
          throw new AssertionError(e); // The strategy knows no timeout.
        }
      }
    }

    /** It ends after the work that it does. */
    void leave() {
      leaving = true;
      barrier.alert();
      waiting.wakeAll();
    }
  }

  private final OneByOneWaitStrategy waiting = new OneByOneWaitStrategy();
  private final RingBuffer<Slot> ring = RingBuffer.createMultiProducer(Slot::new, SLOTS, waiting);

  /** The last event that was claimed; only slots up to it are free for further events. */
  private final Sequence claimed = new Sequence();

  private final Deque<Handler> handlers = new ArrayDeque<>();

  /** Counts the handlers that there ever were, for the names of their threads. */
  private int joined;

  /**
   * @param size handlers to begin with, within the bounds
   * @throws IllegalArgumentException if it is not
   */
  @SuppressWarnings("this-escape") // Nobody has it yet, and the class is final.
  public RingExecutor(String name, Bounds bounds, int size, Objective objective) {
    super(name, bounds, size, objective);
    ring.addGatingSequences(claimed);
    synchronized (this) {
      handlers(size);
    }
  }

  @Override
  boolean carry(Work work) {
    return ring.tryPublishEvent((slot, sequence) -> slot.put(work));
  }

  @Override
  void handlers(int count) {
    while (handlers.size() < count) {
      Handler handler = new Handler();
      handlers.add(handler);
      Thread thread = new Thread(handler, name() + "-ring-" + ++joined);
      thread.setDaemon(true);
      thread.start();
    }
    while (handlers.size() > count) {
      handlers.removeLast().leave();
    }
  }

  @Override
  void end() {
    handlers(0);
  }
}
