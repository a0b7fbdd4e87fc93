package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.testbed.servers.architectures.VirtualThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads for admitted work, one for each task at a time. */
public final class AdmissionThreads {

  private static final long IDLE_SECONDS = 10;

  private AdmissionThreads() {}

  /** Virtual threads where the JDK has them, else platform threads that are used again. */
  public static ExecutorService start() {
    return VirtualThreads.available() ? VirtualThreads.executor() : platform();
  }

  private static ExecutorService platform() {
    AtomicInteger count = new AtomicInteger();
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        body -> {
          Thread thread = new Thread(body, "admitted-" + count.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }
}
