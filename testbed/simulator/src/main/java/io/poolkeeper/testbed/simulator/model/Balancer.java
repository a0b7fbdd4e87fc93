package io.poolkeeper.testbed.simulator.model;

/** Rule that chooses the replica of a tier for a request. It takes no time. */
public enum Balancer {
  /** Any, with equal probability. */
  RANDOM,
  /** One after the other. */
  ROUND_ROBIN,
  /** One of those with the fewest requests in them, waiting ones included; equals in turn. */
  LEAST_CONNECTIONS
}
