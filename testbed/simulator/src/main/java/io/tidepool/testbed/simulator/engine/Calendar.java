package io.tidepool.testbed.simulator.engine;

import java.util.Arrays;

/**
 * The pending events, earliest first; of equal times the one that was added first. A heap of four
 * children a node in one array of primitives: adding and taking cost the logarithm of the number of
 * pending events, and nothing is allocated while that number does not grow.
 *
 * <p>An event is a number of {@value #EVENT_BITS} bits; what it means is its user's affair.
 */
final class Calendar {

  static final int EVENT_BITS = 28;

  private static final int EVENT_MASK = (1 << EVENT_BITS) - 1;

  /** Two a node: its time, and its place in the order of adding with the event below it. */
  private long[] heap = new long[2 * 64];

  private int size;
  private long added;
  private long time;

  /**
   * Whether the root was taken and nothing has come in its place. Most events add another, which
   * then sinks from the root: one pass through the heap instead of two.
   */
  private boolean rootIsFree;

  boolean isEmpty() {
    return size == (rootIsFree ? 1 : 0);
  }

  int pending() {
    return rootIsFree ? size - 1 : size;
  }

  void add(long at, int event) {
    long order = added << EVENT_BITS | event;
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
  long nextTime() {
    if (rootIsFree) {
      fillRoot();
    }
    return heap[0];
  }

  /** Takes the earliest event. There must be one. */
  int next() {
    if (rootIsFree) {
      fillRoot();
    }
    rootIsFree = true;
    time = heap[0];
    return (int) heap[1] & EVENT_MASK;
  }

  /** Time of the event that was taken last. */
  long time() {
    return time;
  }

  private void fillRoot() {
    rootIsFree = false;
    size--;
    if (size > 0) {
      sink(heap[2 * size], heap[2 * size + 1]);
    }
  }

  private void rise(int from, long at, long order) {
    int node = from;
    while (node > 0) {
      int parent = (node - 1) >>> 2;
      // What is added comes after all that is there at the same time.
      if (heap[2 * parent] <= at) {
        break;
      }
      heap[2 * node] = heap[2 * parent];
      heap[2 * node + 1] = heap[2 * parent + 1];
      node = parent;
    }
    heap[2 * node] = at;
    heap[2 * node + 1] = order;
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
      long leastAt = nodes[2 * child];
      int end = Math.min(child + 4, size);
      for (int other = child + 1; other < end; other++) {
        long otherAt = nodes[2 * other];
        if (otherAt < leastAt
            || (otherAt == leastAt && nodes[2 * other + 1] < nodes[2 * least + 1])) {
          least = other;
          leastAt = otherAt;
        }
      }
      if (at < leastAt || (at == leastAt && order < nodes[2 * least + 1])) {
        break;
      }
      nodes[2 * node] = leastAt;
      nodes[2 * node + 1] = nodes[2 * least + 1];
      node = least;
    }
    nodes[2 * node] = at;
    nodes[2 * node + 1] = order;
  }
}
