package io.poolkeeper;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs tasks on a pool in a process whose JMX is broken. Run by {@link JmxFaultTest}; prints
 * "passed" at the end.
 */
final class JmxFaultMain {

  private JmxFaultMain() {}

  public static void main(String[] arguments) throws Exception {
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("orders").window(Duration.ofMillis(20)).build()) {
      pool.submit(() -> {}).get(300, TimeUnit.SECONDS);
      while (pool.control().lastWindow().isEmpty()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    System.out.println("passed");
  }
}
