package io.poolkeeper.testbed.servers;

import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The orderly end of a server, which loses no answer. */
final class Drain {

  /** Time in which clients that are being served may ask once more, and hear that it ends. */
  private static final Duration GRACE = Duration.ofMillis(250);

  /** Time that requests under way may take unless stated otherwise. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private Drain() {}

  /**
   * Has what was sent answered, with word in the last answer of each connection that it is the
   * last; closes the server. Clients that have sent nothing yet have a quarter of a second to do
   * so; what comes later is dropped. What could not be answered, {@link Server#ending} knows.
   *
   * @param handlers what processes besides the threads that read; shut down
   * @param patience how long requests under way may take; {@link #PATIENCE} is usual
   */
  static void drain(Server server, @Nullable ExecutorService handlers, Duration patience)
      throws InterruptedException {
    server.drain();
    long begin = System.nanoTime();
    Shutdown.await(
        patience,
        () ->
            server.settled()
                && (server.connections() == 0 || System.nanoTime() - begin > GRACE.toNanos()));
    // Else what comes while handlers end would be refused by them, and in part not answered at all.
    server.shutdown().refuse();
    if (handlers != null) {
      handlers.shutdown();
      long left = begin + patience.toNanos() - System.nanoTime();
      if (!handlers.awaitTermination(left, TimeUnit.NANOSECONDS)) {
        handlers.shutdownNow();
      }
    }
    // What was read in the meantime leaves; its connections are still looked at until they close.
    Shutdown.await(Shutdown.FAREWELL, server::settled);
    server.close();
  }
}
