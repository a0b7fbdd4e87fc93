package io.poolkeeper.testbed.peers.pools;

import io.poolkeeper.Resizable;
import java.util.concurrent.Executor;

/** A pool under test: what runs tasks on a number of threads that can be changed. */
public interface PeerPool extends Resizable, Executor, AutoCloseable {

  /** Threads that are there now; for virtual threads, those that may run now. */
  int threads();

  /** Tasks that wait now. */
  int queued();

  /** Begins no further task, and interrupts those that run. */
  @Override
  void close();
}
