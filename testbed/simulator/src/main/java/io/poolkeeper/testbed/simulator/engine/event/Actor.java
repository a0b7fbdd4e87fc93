package io.poolkeeper.testbed.simulator.engine.event;

/** Something rare that happens at a time it has asked for: a phase, a pause, a turn of a loop. */
@FunctionalInterface
public interface Actor {

  /**
   * Acts.
   *
   * @return when to act again, or {@link Time#NEVER}
   */
  long act(long now);
}
