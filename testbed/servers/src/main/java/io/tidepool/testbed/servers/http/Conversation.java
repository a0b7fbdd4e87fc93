package io.tidepool.testbed.servers.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one connection says and is told, apart from its input and output: requests come out in
 * order, answers go in as they are ready, and leave in the order of the requests.
 *
 * <p>One thread reads at a time and one writes at a time; they may be two. A client that sends
 * faster than it is served, or than it takes its answers, is not to be read from until there is
 * {@linkplain #room() room}.
 */
public final class Conversation {

  private static final Request LAST = new Request("GET", "/", false, false);
  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Limits limits;
  private final BooleanSupplier ending;
  private final RequestParser parser;
  private final ArrayDeque<Exchange> underWay = new ArrayDeque<>();
  private boolean continues;
  private boolean refusing;
  private boolean closing;

  /**
   * @param ending whether the server is about to stop: the answer to the newest request is the last
   *     one of the connection then, and says so, so that the client sends none that would be lost
   */
  public Conversation(Limits limits, BooleanSupplier ending) {
    this.limits = limits;
    this.ending = ending;
    parser = new RequestParser(limits);
  }

  /**
   * Takes bytes up to the end of the next request. What is no request that can be served is refused
   * at once, in its turn; that is the last answer of the connection.
   *
   * @return the request, which the caller has answered; null if the bytes do not end one, or are
   *     not wanted any more, in which case there may be something to write
   */
  public synchronized @Nullable Exchange read(ByteBuffer in) {
    if (refusing || closing || underWay.size() >= limits.pipeline()) {
      drop(in);
      return null;
    }
    try {
      Request request = parser.parse(in);
      if (request != null) {
        Exchange exchange = new Exchange(this, request);
        underWay.add(exchange);
        closing = !request.keepAlive();
        return exchange;
      }
      continues |= parser.takeContinue();
    } catch (Refused refused) {
      Exchange exchange = new Exchange(this, LAST);
      exchange.answer(refused.answer());
      underWay.add(exchange);
      refusing = true;
      drop(in);
    }
    return null;
  }

  /** Whether the answer to this request is the last one of the connection. */
  boolean endsWith(Exchange exchange) {
    if (!exchange.request().keepAlive()) {
      return true;
    }
    return ending.getAsBoolean() && endsNowWith(exchange);
  }

  private synchronized boolean endsNowWith(Exchange exchange) {
    boolean newest = underWay.peekLast() == exchange;
    closing |= newest;
    return newest;
  }

  /** Bytes behind the last request are taken and not served (RFC 9112, section 9.6). */
  private void drop(ByteBuffer in) {
    if (refusing || closing) {
      in.position(in.limit());
    }
  }

  /** Whether further requests are taken now; bytes that are not taken have to be kept. */
  public synchronized boolean room() {
    return !refusing && !closing && underWay.size() < limits.pipeline();
  }

  /** Whether all answers have left, and no further request is taken. */
  public synchronized boolean over() {
    return (refusing || closing) && underWay.isEmpty();
  }

  /** Whether nothing was asked that is not answered, not even in part. */
  public synchronized boolean idle() {
    return underWay.isEmpty() && !parser.amidst();
  }

  /** Whether answers are still to be given, or to leave. */
  public synchronized boolean busy() {
    return !underWay.isEmpty();
  }

  /** Whether there are bytes whose turn it is to leave. */
  public synchronized boolean ready() {
    Exchange first = underWay.peek();
    return first == null ? continues : first.answer() != null;
  }

  /** The bytes whose turn it is to leave, or null while there are none. */
  public synchronized @Nullable ByteBuffer next() {
    Exchange first = underWay.peek();
    if (first == null) {
      boolean told = continues;
      continues = false;
      return told ? ByteBuffer.wrap(CONTINUE) : null;
    }
    ByteBuffer answer = first.answer();
    if (answer != null) {
      underWay.remove();
    }
    return answer;
  }
}
