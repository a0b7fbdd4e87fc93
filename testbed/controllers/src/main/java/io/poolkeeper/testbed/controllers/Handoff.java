package io.poolkeeper.testbed.controllers;

/** Way in which a task reaches an idle worker. */
public enum Handoff {
  /** It goes to the tail of the queue in any case, and a worker takes it from the head. */
  THROUGH_QUEUE,
  /** An idle worker gets it directly; only if there is none does it go to the queue. */
  DIRECT
}
