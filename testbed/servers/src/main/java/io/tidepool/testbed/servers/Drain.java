package io.tidepool.testbed.servers;

import io.tidepool.testbed.servers.architectures.Server;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How a server ends without losing an answer. */
final class Drain {

  /** How long clients that are being served may take to hear that their connection ends. */
  private static final Duration GRACE = Duration.ofMillis(250);

  /** How long requests under way may take. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final long LOOKS = TimeUnit.MILLISECONDS.toNanos(1);

  private Drain() {}

  /**
   * Has what was asked answered: clients that are being served are told with an answer that it is
   * the last one of their connection; those that have been silent for a quarter of a second, and
   * who comes later, are not served any more.
   *
   * @param handlers what processes besides the threads that read; shut down
   * @return requests that were not begun in time
   */
  static int drain(Server server, @Nullable ExecutorService handlers) throws InterruptedException {
    server.drain();
    long deadline = System.nanoTime() + GRACE.toNanos();
    while (server.connections() > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOKS);
    }
    if (handlers == null) {
      return 0;
    }
    handlers.shutdown();
    return handlers.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        ? 0
        : handlers.shutdownNow().size();
  }
}
