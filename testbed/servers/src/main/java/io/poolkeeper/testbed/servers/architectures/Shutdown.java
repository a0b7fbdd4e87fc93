package io.poolkeeper.testbed.servers.architectures;

import io.poolkeeper.testbed.commands.Plurals;
import io.poolkeeper.testbed.servers.http.Conversation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Whether a server ends, and whom it has left without an answer; its connections share one. A
 * connection ends in two steps, so that no answer is lost to a reset (RFC 9112, section 9.6): the
 * server says that it sends no more, and what the client still sends is read and dropped until the
 * client ends too, or has had its time.
 */
public final class Shutdown {

  /**
   * Time in which clients may take, when the server is closed, the answers that are ready, and
   * again the time in which they may end their side of the connection.
   */
  public static final Duration FAREWELL = Duration.ofMillis(250);

  private static final long LOOKS = TimeUnit.MILLISECONDS.toNanos(1);

  private volatile boolean begun;
  private volatile long since;
  private volatile boolean refusing;
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicInteger unread = new AtomicInteger();
  private final AtomicInteger stuck = new AtomicInteger();

  /** The server ends from now on; false if it did already. */
  public synchronized boolean begin() {
    if (begun) {
      return false;
    }
    since = System.nanoTime();
    begun = true;
    return true;
  }

  public boolean begun() {
    return begun;
  }

  /** When it began, by the monotonic clock, in nanoseconds; only once it has. */
  public long since() {
    return since;
  }

  /**
   * No request is read from now on, since there will be nobody to serve it: what comes is dropped.
   */
  public void refuse() {
    refusing = true;
  }

  /** Whether what comes is dropped. */
  public boolean refusing() {
    return refusing;
  }

  /**
   * Notes that a connection is closed by the server's end; once, whoever comes to it first. Who
   * comes second waits until it is noted.
   *
   * @param unsent whether an answer that has left the conversation waits elsewhere to be sent
   */
  public synchronized void cut(Conversation conversation, boolean unsent) {
    if (conversation.cutOff()) {
      unanswered.addAndGet(conversation.unanswered() + (unsent ? 1 : 0));
      if (conversation.unread()) {
        unread.incrementAndGet();
      }
    }
  }

  /** Notes that a connection is closed because its client does not take its answers. */
  public void stuck() {
    stuck.incrementAndGet();
  }

  /** Requests that were read, and whose answers had not left when the server was closed. */
  public int unanswered() {
    return unanswered.get();
  }

  /** Connections that were closed because their clients did not take their answers. */
  public int stuckConnections() {
    return stuck.get();
  }

  /** Losses, a line each; empty if nobody was left without an answer. */
  public List<String> losses() {
    List<String> losses = new ArrayList<>();
    if (stuck.get() > 0) {
      losses.add(
          "%s closed since the client took no answers"
              .formatted(Plurals.count(stuck.get(), "connection")));
    }
    if (unanswered.get() > 0) {
      losses.add("%s unanswered at the end".formatted(Plurals.count(unanswered.get(), "request")));
    }
    if (unread.get() > 0) {
      losses.add(
          "%s closed at the end before all that had come was read"
              .formatted(Plurals.count(unread.get(), "connection")));
    }
    return losses;
  }

  /** Waits for a condition, so long at most. */
  public static void await(Duration patience, BooleanSupplier condition) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOKS);
    }
  }
}
