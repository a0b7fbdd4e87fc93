package io.poolkeeper.testbed.load.http;

import io.poolkeeper.testbed.load.description.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The resources that the connections of one load thread share: the server, the selector, a buffer
 * to read into, and the bytes of each request. Not safe for several threads, but for {@link
 * #wakeUp}.
 */
public final class Wire implements AutoCloseable {

  private static final int BUFFER_BYTES = 64 * 1024;

  /** Methods whose requests have a body, if only an empty one. */
  private static final Set<String> EMPTY_BODY = Set.of("POST", "PUT", "PATCH");

  private final Target target;
  private final Consumer<Exchange> ended;
  private final Selector selector = Selector.open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final List<ByteBuffer> encoded = new ArrayList<>();

  /** Whether a request is always the same, so that its bytes are made once. */
  private final List<Boolean> fixed;

  /**
   * @param requests all that will be sent, in the order of their indices
   * @param ended gets every exchange when it has ended, and must not keep it
   * @throws IOException if there can be no selector
   */
  public Wire(Target target, List<Request> requests, Consumer<Exchange> ended) throws IOException {
    this.target = target;
    this.ended = ended;
    for (Request request : requests) {
      byte[] bytes = bytes(request);
      encoded.add(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
    }
    fixed = requests.stream().map(Request::isFixed).toList();
  }

  private byte[] bytes(Request request) {
    String body = request.body();
    StringBuilder text = new StringBuilder(256);
    text.append(request.method()).append(' ').append(request.path());
    text.append(" HTTP/1.1\r\nHost: ").append(target.authority()).append("\r\n");
    if (body != null) {
      text.append("Content-Type: application/x-www-form-urlencoded\r\n");
      text.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
    } else {
      text.append(EMPTY_BODY.contains(request.method()) ? "Content-Length: 0\r\n\r\n" : "\r\n");
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Lets the connections handle what is ready, without waiting.
   *
   * @return how many there were
   */
  public int selectNow() throws IOException {
    return selector.selectNow(Wire::handle);
  }

  /** The same, waiting up to so many milliseconds, 1 or more, for something to become ready. */
  public void select(long millis) throws IOException {
    selector.select(Wire::handle, millis);
  }

  private static void handle(SelectionKey key) {
    ((Connection) key.attachment()).ready();
  }

  /** Ends a wait that is going on or, if there is none, the next. Any thread may call it. */
  public void wakeUp() {
    selector.wakeup();
  }

  Target target() {
    return target;
  }

  Selector selector() {
    return selector;
  }

  /** Tells that an exchange has ended. */
  void ended(Exchange exchange) {
    ended.accept(exchange);
  }

  /** Returns the buffer for received bytes that are being looked at. */
  ByteBuffer buffer() {
    return buffer;
  }

  /** The bytes of a request, from position 0 to the limit. */
  ByteBuffer encoded(Request request) {
    return fixed.get(request.index())
        ? encoded.get(request.index())
        : ByteBuffer.wrap(bytes(request));
  }

  @Override
  public void close() throws IOException {
    selector.close();
  }
}
