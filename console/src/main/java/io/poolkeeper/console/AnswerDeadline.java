package io.poolkeeper.console;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the time for which a client may hold up the thread that answers it. An answer that is not
 * taken in time is given up: its thread is interrupted, which closes the connection.
 *
 * <p>The JDK's server has no other way that holds for single answers. Its own limit holds for all
 * servers of the process, streams included; to close an exchange waits for the write that is
 * blocked.
 */
public final class AnswerDeadline {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Writes an answer. */
  @FunctionalInterface
  public interface Answer {

    /**
     * Writes to the client.
     *
     * @throws IOException if the connection is closed
     */
    void write() throws IOException;
  }

  private final Thread thread = Thread.currentThread();

  /** Whether the thread has gone on to something else; guarded by this. */
  private boolean over;

  /** Whether the thread was interrupted; guarded by this. */
  private boolean missed;

  private AnswerDeadline() {}

  /**
   * Writes an answer on this thread, within ten seconds.
   *
   * @throws IOException if the client has closed the connection, or does not take the answer in
   *     time
   */
  public static void send(Answer answer) throws IOException {
    send(PATIENCE, answer);
  }

  static void send(Duration patience, Answer answer) throws IOException {
    AnswerDeadline deadline = new AnswerDeadline();
    CompletableFuture<Void> answered = new CompletableFuture<>();
    var unused =
        answered
            .orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (nothing, late) -> {
                  if (late != null) {
                    deadline.giveUp();
                  }
                });
    try {
      answer.write();
    } finally {
      deadline.end();
      answered.complete(null);
    }
  }

  private synchronized void giveUp() {
    if (!over) {
      missed = true;
      thread.interrupt();
    }
  }

  /** Clears the interrupt of this deadline, and no other one. */
  private synchronized void end() {
    over = true;
    if (missed) {
      boolean unused = Thread.interrupted();
    }
  }
}
