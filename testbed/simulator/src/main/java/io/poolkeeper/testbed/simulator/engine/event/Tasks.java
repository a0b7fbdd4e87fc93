package io.poolkeeper.testbed.simulator.engine.event;

import java.util.Arrays;

/**
 * All tasks in the system, in arrays by number; the numbers of ended ones are used again. A task is
 * what holds one unit of one pool: a request at a tier, or a part of one under a connection or a
 * lock. A queue is a chain through {@link #next}.
 */
public final class Tasks {

  /** Stands for no task. */
  static final int NONE = -1;

  /** Parent of a task that nobody waits for any more. */
  public static final int ANSWERED = Integer.MIN_VALUE;

  /** Bytes that a task takes. */
  public static final int BYTES = 2 * Long.BYTES + 6 * Integer.BYTES;

  private final int most;
  private int free = NONE;
  private int made;
  private int live;

  public long[] arrived = new long[0];
  public long[] started = new long[0];

  /** Number of the program. */
  public int[] program = new int[0];

  /** Step of the program that comes next. */
  public int[] step = new int[0];

  /**
   * The task that waits for this one, {@code -1 - s} for a request of source {@code s}, or {@link
   * #ANSWERED}.
   */
  public int[] parent = new int[0];

  /** Of a request: the client that sent it, as its source counts. */
  public int[] client = new int[0];

  /** Of a request: which one, as its source counts. */
  public int[] request = new int[0];

  int[] next = new int[0];

  /**
   * @param most largest number of tasks at a time
   */
  public Tasks(int most) {
    this.most = most;
    grow(64);
  }

  public int take() {
    live++;
    int task = free;
    if (task != NONE) {
      free = next[task];
      return task;
    }
    if (made == arrived.length) {
      grow((int) Math.min(most, 2L * made));
    }
    return made++;
  }

  public void giveBack(int task) {
    live--;
    next[task] = free;
    free = task;
  }

  int live() {
    return live;
  }

  private void grow(int length) {
    if (length <= arrived.length) {
      throw new IllegalStateException(
          "the tasks in the system outgrew the memory: more than %d wait or run; the load is above"
                  .formatted(most)
              + " what the tiers can do, and no queue has a bound");
    }
    arrived = Arrays.copyOf(arrived, length);
    started = Arrays.copyOf(started, length);
    program = Arrays.copyOf(program, length);
    step = Arrays.copyOf(step, length);
    parent = Arrays.copyOf(parent, length);
    client = Arrays.copyOf(client, length);
    request = Arrays.copyOf(request, length);
    next = Arrays.copyOf(next, length);
  }
}
