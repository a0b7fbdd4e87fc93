package io.poolkeeper.testbed.controllers;

/** Way in which a task ended. */
public enum Outcome {
  /** It returned. */
  COMPLETED,
  /** It ran and threw. */
  FAILED,
  /** It never ran: refused at a full queue, or given up while it waited. Its service time is 0. */
  DROPPED
}
