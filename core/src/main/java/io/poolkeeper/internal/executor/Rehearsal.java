package io.poolkeeper.internal.executor;

import io.poolkeeper.Objective;
import io.poolkeeper.spi.Ticker;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;

/**
 * A run through code that must not need memory later. The virtual machine loads and links code when
 * it first runs, which takes memory; there may be none left while a task runs.
 */
final class Rehearsal {

  private Rehearsal() {}

  /** Runs all code paths of a worker once, on this thread. */
  static void ofWorker() {
    Ticker clock = System::nanoTime;
    WorkQueue queue = new LinkedWorkQueue(Integer.MAX_VALUE);
    PoolMeter meter = new PoolMeter(clock.nanoTime(), Objective.throughput());
    Workers workers = new Workers(queue, sameThread(), meter, clock, false, 1, 1, () -> {});
    workers.keepAlive(1);
    Callable<String> failing =
        () -> {
          throw new IllegalStateException("on purpose");
        };
    for (Runnable task :
        List.of(
            new SubmittedTask<>(() -> "done", workers),
            new SubmittedTask<>(failing, workers),
            new AsyncTask<>(() -> "done", Runnable::run))) {
      queue.offer(new Task(task, clock.nanoTime()));
    }
    workers.start(new Task(() -> {}, clock.nanoTime()));
    workers.shutdown();
  }

  /** Returns threads that run in the thread that starts them. */
  private static ThreadFactory sameThread() {
    return body ->
        new Thread() {
          @Override
          public synchronized void start() {
            body.run();
          }
        };
  }
}
