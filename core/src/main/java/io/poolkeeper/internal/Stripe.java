package io.poolkeeper.internal;

import io.poolkeeper.Objective;
import io.poolkeeper.spi.EndedTasks;

/**
 * One accumulator, for one thread at a time. It has its cache lines for itself, so that writers of
 * different stripes do not slow each other.
 */
final class Stripe extends Lane {

  long after1;
  long after2;
  long after3;
  long after4;
  long after5;
  long after6;
  long after7;
  long after8;

  EndedTasks interval;
  EndedTasks spare;
  final Level queue;
  final Tally tally = new Tally();
  final Holdings holdings = new Holdings();

  Stripe(long now, Objective objective) {
    interval = new EndedTasks(objective);
    spare = new EndedTasks(objective);
    queue = new Level(now);
  }
}
