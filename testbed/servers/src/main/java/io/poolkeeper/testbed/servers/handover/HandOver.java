package io.poolkeeper.testbed.servers.handover;

/** The way of a request from its reader to its processor. */
public enum HandOver {
  /** Not at all: who reads it processes it. */
  NONE,
  /** One queue, and threads that take from it. */
  QUEUE,
  /** A ring, and handlers that claim its events one by one. */
  DISRUPTOR,
  /** Actors with a mailbox each. */
  ACTOR,
  /** A thread a request, as many at once as a limiter admits. */
  LIMITER
}
