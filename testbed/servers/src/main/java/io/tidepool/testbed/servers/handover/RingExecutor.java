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

  private final OneByOneWaitStrategy waiting = new OneByOneWaitStrategy();
  private final RingBuffer<Slot> ring = RingBuffer.createMultiProducer(Slot::new, SLOTS, waiting);
  private final Deque<BatchEventProcessor<Slot>> handlers = new ArrayDeque<>();

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
      leave(handlers.removeLast());
    }
  }

  private void join() {
    EventHandler<Slot> takes =
        (slot, sequence, endOfBatch) -> {
          Work work = slot.getAndSet(null);
          if (work != null) {
            work.run();
          }
        };
    BatchEventProcessor<Slot> processor =
        new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), takes);
    Sequence sequence = processor.getSequence();
    // What others passed is taken; from there on it may not be, if the one who would is to leave.
    ring.addGatingSequences(sequence);
    sequence.set(handlers.isEmpty() ? -1 : oldest());
    Thread thread = new Thread(processor, name() + "-ring-" + ++joined);
    thread.setDaemon(true);
    handlers.add(processor);
    thread.start();
  }

  /** The last event that all handlers have passed. */
  private long oldest() {
    return handlers.stream().mapToLong(handler -> handler.getSequence().get()).min().orElseThrow();
  }

  /** It ends after the work that it does; what it has not passed, the others pass. */
  private void leave(BatchEventProcessor<Slot> handler) {
    handler.halt();
    waiting.wakeAll();
    ring.removeGatingSequence(handler.getSequence());
  }

  @Override
  void end() {
    handlers(0);
  }
}
