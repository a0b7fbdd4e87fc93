package io.tidepool.testbed.servers.handover;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.tidepool.Bounds;
import io.tidepool.Objective;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An executor on an LMAX Disruptor ring. Every handler walks over every event, and the first that
 * gets to one takes its work; so handlers can join, at the oldest event that another one may not
 * have passed, and leave, without work being lost or done twice.
 */
public final class RingExecutor extends HandlerPool {

  /** Slots of the ring; work that finds none is rejected. */
  private static final int SLOTS = 16_384;

  /** A slot of the ring; empty once its work was taken. */
  private static final class Slot extends AtomicReference<HandlerPool.Work> {
    private static final long serialVersionUID = 1L;
  }

  /** Takes what nobody has taken, unless it was told to leave: the others get to that. */
  private final class Handler implements EventHandler<Slot> {
    final BatchEventProcessor<Slot> processor =
        new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), this);
    private volatile boolean leaving;

    @Override
    public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
      Work work = leaving ? null : slot.getAndSet(null);
      if (work != null) {
        work.run();
      }
    }

    /** It ends after the work that it does; what it has not passed, the others pass. */
    void leave() {
      leaving = true;
      processor.halt();
      waiting.wakeAll();
      ring.removeGatingSequence(processor.getSequence());
    }
  }

  private final OneByOneWaitStrategy waiting = new OneByOneWaitStrategy();
  private final RingBuffer<Slot> ring = RingBuffer.createMultiProducer(Slot::new, SLOTS, waiting);
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
    synchronized (this) {
      handlers(size);
    }
  }

  @Override
  boolean carry(Work work) {
    return ring.tryPublishEvent((slot, sequence) -> slot.set(work));
  }

  @Override
  void handlers(int count) {
    while (handlers.size() < count) {
      join();
    }
    while (handlers.size() > count) {
      handlers.removeLast().leave();
    }
  }

  private void join() {
    Handler handler = new Handler();
    Sequence sequence = handler.processor.getSequence();
    // What others passed is taken; from there on it may not be, if the one who would is to leave.
    ring.addGatingSequences(sequence);
    sequence.set(handlers.isEmpty() ? -1 : oldest());
    Thread thread = new Thread(handler.processor, name() + "-ring-" + ++joined);
    thread.setDaemon(true);
    handlers.add(handler);
    thread.start();
  }

  /** The last event that all handlers have passed. */
  private long oldest() {
    return handlers.stream()
        .mapToLong(handler -> handler.processor.getSequence().get())
        .min()
        .orElseThrow();
  }

  @Override
  void end() {
    handlers(0);
  }
}
