package io.poolkeeper.testbed.servers.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A status and a text; what goes over the wire depends on the request too. */
public final class Answer {

  private static final byte[] LENGTH = ascii("content-type: text/plain\r\ncontent-length: ");
  private static final byte[] STAYS = ascii("connection: keep-alive\r\n");
  private static final byte[] CLOSES = ascii("connection: close\r\n");
  private static final byte[] END = ascii("\r\n");
  private static final byte[] NOTHING = {};

  private final Status status;
  private final byte[] body;

  private Answer(Status status, String text) {
    this.status = status;
    body = text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Makes and encodes an answer of each kind. The virtual machine initialises classes and links
   * code at their first use, which takes memory. There may be none when the first request fails,
   * and a class whose initialisation failed once is lost for good.
   */
  public static void rehearse() {
    Throwable failure = new IllegalStateException("rehearsed");
    for (Answer answer : List.of(ok("rehearsed"), busy(), failure(failure))) {
      ByteBuffer unused = answer.encode(true, true, false);
    }
  }

  public static Answer ok(String text) {
    return new Answer(Status.OK, text);
  }

  /** An answer that says in words, one line, why there is no other. */
  public static Answer refusal(Status status, String why) {
    return new Answer(status, why + "\n");
  }

  /** Returns the answer to a client for whom there is no room. */
  public static Answer busy() {
    return refusal(Status.UNAVAILABLE, "too busy, try again later");
  }

  /**
   * Returns the answer to a request that failed: one line, whatever the exception's message looks
   * like.
   */
  public static Answer failure(Throwable thrown) {
    String message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    String line = message.lines().filter(text -> !text.isBlank()).findFirst().orElse("no message");
    return refusal(Status.FAILED, "the application failed: " + line.strip());
  }

  public Status status() {
    return status;
  }

  /**
   * The bytes of this answer, ready to be written.
   *
   * @param closes whether it is the last one of its connection
   * @param old whether the client speaks HTTP/1.0, and has to be told that the connection stays
   * @param head whether the body is left out, but not its length
   */
  ByteBuffer encode(boolean closes, boolean old, boolean head) {
    byte[] line = ascii(status.line());
    byte[] length = ascii(Integer.toString(body.length));
    byte[] connection = closes ? CLOSES : old ? STAYS : NOTHING;
    byte[] content = head ? NOTHING : body;
    byte[] date = HttpDate.NOW.line();
    int size =
        line.length
            + date.length
            + LENGTH.length
            + length.length
            + END.length
            + connection.length
            + END.length
            + content.length;
    return ByteBuffer.allocate(size)
        .put(line)
        .put(date)
        .put(LENGTH)
        .put(length)
        .put(END)
        .put(connection)
        .put(END)
        .put(content)
        .flip();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
