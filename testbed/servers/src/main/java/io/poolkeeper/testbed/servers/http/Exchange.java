package io.poolkeeper.testbed.servers.http;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request and, once it was given, its answer. Whoever answers may be any thread. */
public final class Exchange {

  private final Request request;
  private @Nullable Answer given;

  /** Bytes of the answer that was given; what is written before it is seen by who reads it. */
  private volatile @Nullable ByteBuffer answer;

  Exchange(Request request) {
    this.request = request;
  }

  public Request request() {
    return request;
  }

  /**
   * Gives the answer, which leaves once those to earlier requests have left: ask {@link
   * Conversation#next} for it.
   */
  public void answer(Answer answer) {
    given = answer;
    this.answer = answer.encode(!request.keepAlive(), request.old(), request.head());
  }

  /** Whether the answer was given. */
  public boolean answered() {
    return answer != null;
  }

  @Nullable ByteBuffer answer() {
    return answer;
  }

  /** The answer that was given, as the last one of its connection. */
  ByteBuffer lastAnswer() {
    return Objects.requireNonNull(given).encode(true, request.old(), request.head());
  }
}
