package io.tidepool.testbed.servers.http;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A request and, once it was given, its answer. Whoever answers may be any thread. */
public final class Exchange {

  private final Conversation conversation;
  private final Request request;
  private volatile @Nullable ByteBuffer answer;

  Exchange(Conversation conversation, Request request) {
    this.conversation = conversation;
    this.request = request;
  }

  public Request request() {
    return request;
  }

  /**
   * Gives the answer, which leaves once those to earlier requests have left: ask {@link
   * Conversation#next} for it.
   */
  public void answer(Answer given) {
    answer = given.encode(conversation.endsWith(this), request.old(), request.head());
  }

  @Nullable ByteBuffer answer() {
    return answer;
  }
}
