package io.poolkeeper.internal.meter;

import io.poolkeeper.Objective;
import io.poolkeeper.spi.EndedTasks;

/**
 * An accumulator for one thread at a time, in cache lines of its own, so that writers of different
 * stripes do not slow each other.
 */
public final class Stripe extends Lane {

  long after1;
  long after2;
  long after3;
  long after4;
  long after5;
  long after6;
  long after7;
  long after8;

  public EndedTasks interval;
  EndedTasks spare;
  public final Level queue;
  public final Tally tally = new Tally();
  public final HeldPermits heldPermits = new HeldPermits();

  Stripe(long now, Objective objective) {
    interval = new EndedTasks(objective);
    spare = new EndedTasks(objective);
    queue = new Level(now);
  }
}
