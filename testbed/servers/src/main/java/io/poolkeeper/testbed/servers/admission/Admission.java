package io.poolkeeper.testbed.servers.admission;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** Decides whether work may run, and is told what became of it. */
public interface Admission {

  /**
   * Asks for a permit.
   *
   * @return completes with the permit, at once or later; exceptionally if there is none. What
   *     depends on it must not block
   */
  CompletableFuture<Permit> ask();

  /** A request that was refused at once. */
  static CompletableFuture<Permit> refusal() {
    return CompletableFuture.failedFuture(new RejectedExecutionException("the limit is reached"));
  }

  /** Leave to run; exactly one of its methods is called, once. */
  interface Permit {

    /** The work is done. */
    void success();

    /** The work failed, which counts as a sign of load. */
    void dropped();

    /** The work says nothing about load: it did not run. */
    void ignore();
  }
}
