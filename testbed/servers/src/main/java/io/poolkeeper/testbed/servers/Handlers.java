package io.poolkeeper.testbed.servers;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Resizable;
import java.util.concurrent.ExecutorService;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The running handlers of a server.
 *
 * @param executor what takes tasks
 * @param pool what is measured, and has the size that is tuned
 * @param loop what tunes it
 * @param queued tasks that wait now
 * @param variants hands the pool from variant to variant; null where there is but one
 */
record Handlers(
    ExecutorService executor,
    Resizable pool,
    ControlLoop loop,
    IntSupplier queued,
    @Nullable AlternatingController variants) {

  Handlers(ExecutorService executor, Resizable pool, ControlLoop loop, IntSupplier queued) {
    this(executor, pool, loop, queued, null);
  }
}
