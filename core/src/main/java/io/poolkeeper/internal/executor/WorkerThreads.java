package io.poolkeeper.internal.executor;

/**
 * The threads of a pool's workers, by their identifiers. Who submits a task asks without a lock
 * whether it is one of them: a hash table with open addressing, at least half of it free.
 *
 * <p>A worker always finds itself, as it is added before its thread starts and removed by itself.
 * Nobody else is found, as the virtual machine gives no identifier twice. Adding and removing takes
 * the lock of {@link Workers}; removing takes no memory.
 */
final class WorkerThreads {

  private static final long FREE = 0;
  private static final long LEFT = Long.MIN_VALUE;
  private static final int LEAST_SLOTS = 16;

  /** Multiplier of Fibonacci hashing: identifiers of neighbouring threads are neighbours. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private volatile long[] slots = new long[LEAST_SLOTS];

  /** Slots that are not free. */
  private int used;

  boolean contain(Thread thread) {
    return find(slots, thread.getId()) >= 0;
  }

  void add(Thread thread) {
    if (2 * (used + 1) > slots.length) {
      rebuild();
    }
    place(slots, thread.getId());
    used++;
  }

  void remove(Thread thread) {
    int slot = find(slots, thread.getId());
    if (slot >= 0) {
      slots[slot] = LEFT;
    }
  }

  /** Makes a table without those that have left. */
  private void rebuild() {
    int live = 0;
    for (long id : slots) {
      live += id == FREE || id == LEFT ? 0 : 1;
    }
    long[] next = new long[Math.max(LEAST_SLOTS, 8 * Integer.highestOneBit(live + 1))];
    for (long id : slots) {
      if (id != FREE && id != LEFT) {
        place(next, id);
      }
    }
    used = live;
    slots = next;
  }

  private static void place(long[] slots, long id) {
    int slot = find(slots, id);
    if (slot < 0) {
      slots[-1 - slot] = id;
    }
  }

  /** Returns the slot of an identifier, or -1 less the free slot where the search for it ended. */
  private static int find(long[] slots, long id) {
    int last = slots.length - 1;
    int slot = (int) ((id * SPREAD) >>> 32) & last;
    for (long found = slots[slot]; found != id; found = slots[slot]) {
      if (found == FREE) {
        return -1 - slot;
      }
      slot = (slot + 1) & last;
    }
    return slot;
  }
}
