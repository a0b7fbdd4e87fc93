package io.poolkeeper.internal;

/** An end of a task. */
enum Outcome {
  COMPLETED,
  FAILED,
  /** Cancelled before it began. */
  CANCELLED
}
