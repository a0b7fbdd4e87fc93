package io.poolkeeper.testbed.simulator.engine.flow;

/** One instruction of a {@link Program}: a step with all names resolved, and cases as jumps. */
@FunctionalInterface
interface Op {

  /** The task waits; something will make it go on. */
  int WAIT = -1;

  /** The task has ended. */
  int END = -2;

  /**
   * Begins the instruction.
   *
   * @param next the instruction that follows
   * @return the instruction to go on with, {@link #WAIT} or {@link #END}
   */
  int begin(int task, int next, long now);

  /** The instruction had put its end on the calendar itself, and that has come. */
  default void end(long now) {}
}
