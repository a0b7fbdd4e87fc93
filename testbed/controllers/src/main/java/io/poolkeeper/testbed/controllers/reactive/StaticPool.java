package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Handoff;
import io.poolkeeper.testbed.controllers.Require;

/**
 * A fixed number of workers, with one of two ways for a task to reach them: through the queue in
 * any case (Schmidt 1998), or from hand to hand where a worker is idle (Chang, Wang, Yuan and Liang
 * 1998); both as Bahadur and others 2014, sections 2.11 and 2.12 describe them.
 *
 * <p><b>Left open, and how it is filled.</b> Neither says how many workers; the number has to be
 * given. What a pass through the queue costs is a matter of the pool: on a real one it is measured,
 * on a simulated one it is a parameter of the model, and where that is 0 the two are the same.
 *
 * <p><b>When it fails.</b> When the number is wrong, or the load or the work changes so that it
 * becomes wrong.
 */
public final class StaticPool implements EventPolicy {

  private final String name;
  private final int size;
  private final Handoff handoff;

  /**
   * @param size workers, 1 or more
   * @throws IllegalArgumentException if it is less
   */
  public StaticPool(String name, int size, Handoff handoff) {
    this.name = name;
    this.size = Require.atLeast(1, "size", size);
    this.handoff = handoff;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int initialSize() {
    return size;
  }

  @Override
  public Handoff handoff() {
    return handoff;
  }

  @Override
  public String reason() {
    return "";
  }
}
