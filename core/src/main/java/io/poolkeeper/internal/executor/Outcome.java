package io.poolkeeper.internal.executor;

/** An end of a task. */
enum Outcome {
  COMPLETED,
  FAILED,
  /** Cancelled before it began. */
  CANCELLED
}
