package io.poolkeeper.testbed.simulator.engine.event;

import java.util.Arrays;

/**
 * The pending events, earliest first; of equal times the one of the lower kind, and of equal kinds
 * the one that was added first. A heap of four children a node in one array of primitives: adding
 * and taking cost the logarithm of the number of pending events, and nothing is allocated while
 * that number does not grow.
 *
 * <p>An event is a kind and a number; what they mean is their user's affair.
 */
public final class Calendar {

  /** Numbers of events are below {@code 1 << NUMBER_BITS}, kinds below 8. */
  public static final int NUMBER_BITS = 26;

  private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
  private static final int KIND_SHIFT = 61;

  /** Puts half of the kinds below 0, because numbers with all bits are compared as signed ones. */
  private static final int KIND_BIAS = 4;

  /** The place in the order of adding lies between: 2^35 events, two hours at the fastest. */
  private static final long ADDED_MASK = (1L << (KIND_SHIFT - NUMBER_BITS)) - 1;

  /** Two a node: its time, and its kind, place in the order of adding, and number. */
  private long[] heap = new long[2 * 64];

  private int size;
  private long added;
  private long time;
  private long taken;

  /**
   * Whether the root was taken and nothing has come in its place. Most events add another, which
   * then sinks from the root: one pass through the heap instead of two.
   */
  private boolean rootIsFree;

  public boolean isEmpty() {
    return size == (rootIsFree ? 1 : 0);
  }

  void add(long at, int kind, int number) {
    long order =
        (long) (kind - KIND_BIAS) << KIND_SHIFT | (added & ADDED_MASK) << NUMBER_BITS | number;
    added++;
    if (rootIsFree) {
      rootIsFree = false;
      sink(at, order);
      return;
    }
    if (2 * size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * heap.length);
    }
    rise(size, at, order);
    size++;
  }

  /** Time of the earliest event. There must be one. */
  public long nextTime() {
    if (rootIsFree) {
      fillRoot();
    }
    return heap[0];
  }

  /** Takes the earliest event. There must be one. */
  public void take() {
    if (rootIsFree) {
      fillRoot();
    }
    rootIsFree = true;
    time = heap[0];
    taken = heap[1];
  }

  /** Time of the event that was taken last. */
  public long time() {
    return time;
  }

  /** Kind of the event that was taken last. */
  public int kind() {
    return (int) (taken >> KIND_SHIFT) + KIND_BIAS;
  }

  /** Number of the event that was taken last. */
  public int number() {
    return (int) taken & NUMBER_MASK;
  }

  private void fillRoot() {
    rootIsFree = false;
    size--;
    if (size > 0) {
      sink(heap[2 * size], heap[2 * size + 1]);
    }
  }

  private static boolean before(long at, long order, long otherAt, long otherOrder) {
    return at < otherAt || (at == otherAt && order < otherOrder);
  }

  private void rise(int from, long at, long order) {
    long[] nodes = heap;
    int node = from;
    while (node > 0) {
      int parent = (node - 1) >>> 2;
      if (!before(at, order, nodes[2 * parent], nodes[2 * parent + 1])) {
        break;
      }
      nodes[2 * node] = nodes[2 * parent];
      nodes[2 * node + 1] = nodes[2 * parent + 1];
      node = parent;
    }
    nodes[2 * node] = at;
    nodes[2 * node + 1] = order;
  }

  private void sink(long at, long order) {
    long[] nodes = heap;
    int node = 0;
    while (true) {
      int child = 4 * node + 1;
      if (child >= size) {
        break;
      }
      int least = child;
      int end = Math.min(child + 4, size);
      for (int other = child + 1; other < end; other++) {
        if (before(
            nodes[2 * other], nodes[2 * other + 1], nodes[2 * least], nodes[2 * least + 1])) {
          least = other;
        }
      }
      if (before(at, order, nodes[2 * least], nodes[2 * least + 1])) {
        break;
      }
      nodes[2 * node] = nodes[2 * least];
      nodes[2 * node + 1] = nodes[2 * least + 1];
      node = least;
    }
    nodes[2 * node] = at;
    nodes[2 * node + 1] = order;
  }
}
