package io.poolkeeper.testbed.controllers;

import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A daemon thread for each timer. A call that falls due less than half an interval after the last
 * one is left out: after a pause the JDK would make up for all that were missed, and a policy would
 * see seconds in which nothing arrived.
 */
final class DaemonTimer implements LoopTimer {

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            body -> {
              Thread thread = new Thread(body, "poolkeeper-" + name);
              thread.setDaemon(true);
              return thread;
            });
    long nanos = interval.toNanos();
    long[] last = {System.nanoTime() - nanos};
    Runnable guarded =
        () -> {
          long now = System.nanoTime();
          if (now - last[0] >= nanos / 2) {
            last[0] = now;
            tick.run();
          }
        };
    Future<?> calls = timer.scheduleAtFixedRate(guarded, nanos, nanos, TimeUnit.NANOSECONDS);
    return () -> {
      calls.cancel(false);
      timer.shutdown();
    };
  }
}
