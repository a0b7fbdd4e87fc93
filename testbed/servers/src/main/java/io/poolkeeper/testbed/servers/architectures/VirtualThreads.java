package io.poolkeeper.testbed.servers.architectures;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads, where the JDK has them: the project is compiled for one that has not. */
public final class VirtualThreads {

  private VirtualThreads() {}

  /** Whether there are any: from JDK 21 on. */
  public static boolean available() {
    return Runtime.version().feature() >= 21;
  }

  /**
   * An executor that starts a virtual thread for each task.
   *
   * @throws IllegalArgumentException if the JDK has none
   */
  public static ExecutorService executor() {
    if (!available()) {
      throw new IllegalArgumentException(
          ("virtual threads need JDK 21 or later, and this is %d: choose one by its folder, as in"
                  + " JAVA_HOME=/usr/lib/jvm/jdk-21 ./poolkeeper serve ...")
              .formatted(Runtime.version().feature()));
    }
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("virtual threads cannot be had", e);
    }
  }
}
