package io.poolkeeper.linux;

/**
 * State and times of a thread or a process.
 *
 * @param state letter of the state: R runs, S sleeps, D waits for a device without being
 *     interruptible
 * @param userNanos CPU time in its own code; in steps of 10 ms, as all times here
 * @param systemNanos CPU time in the kernel
 * @param blockIoNanos time for which it waited for block devices; 0 where delay accounting is off,
 *     see {@link Proc#delayAccounting}
 */
public record TaskStat(char state, long userNanos, long systemNanos, long blockIoNanos) {

  /** Nanoseconds of a clock tick; Linux shows 100 a second on all common architectures. */
  private static final long TICK = 10_000_000;

  private static final int FIELDS_TO_USER_TIME = 10;
  private static final int FIELDS_TO_BLOCK_IO = 26;

  static TaskStat parse(Fields fields) {
    fields.skipPastLast(')'); // The name of a thread may hold blanks and brackets.
    char state = fields.character();
    fields.skip(FIELDS_TO_USER_TIME);
    long user = fields.counter();
    long system = fields.counter();
    fields.skip(FIELDS_TO_BLOCK_IO);
    return new TaskStat(state, user * TICK, system * TICK, fields.counter() * TICK);
  }

  /** Returns whether the thread waits for a device, or for another part of the kernel. */
  public boolean blocked() {
    return state == 'D';
  }
}
