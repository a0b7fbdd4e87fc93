package io.poolkeeper.testbed.servers.http;

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
 *
 * <p>A server that ends answers what has been sent to it before, and says with the last answer that
 * it is the last. Which one that is, only a further look at the socket can tell: so once the server
 * ends, the answer to the newest request is held back until whoever reads has {@linkplain #looks()
 * looked} and {@linkplain #dry() found nothing}.
 */
public final class Conversation {

  private static final Request LAST = new Request("GET", "/", false, false);
  private static final Request LAST_HEAD = new Request("HEAD", "/", false, false);

  /**
   * Bytes behind the last answer that are taken and dropped. A client that sends more loses the
   * connection, and perhaps the answer with it.
   */
  private static final long MOST_DROPPED = 4 * 1024 * 1024;

  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Limits limits;
  private final BooleanSupplier ending;
  private final BooleanSupplier deaf;
  private final RequestParser parser;
  private final ArrayDeque<Exchange> underWay = new ArrayDeque<>();
  private boolean continues;
  private boolean refusing;
  private boolean closing;

  /** Whether bytes lie behind the newest request that have not been parsed. */
  private boolean more;

  /** Whether nothing has come since the server began to end. */
  private boolean dry;

  /** Bytes that came behind the last answer. */
  private long dropped;

  /** Answers that were taken to be written, and have not left. */
  private int leaving;

  /** Whether the server's end has cut the connection off. */
  private boolean cut;

  /**
   * @param ending whether the server is about to stop; once it is, it stays so
   * @param deaf whether it takes no request any more, which an ending one comes to: what has been
   *     read is answered, and what still comes is dropped
   */
  public Conversation(Limits limits, BooleanSupplier ending, BooleanSupplier deaf) {
    this.limits = limits;
    this.ending = ending;
    this.deaf = deaf;
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
    if (takesNoMore() || underWay.size() >= limits.pipeline()) {
      drop(in);
      more = in.hasRemaining();
      return null;
    }
    dry &= !in.hasRemaining();
    try {
      Request request = parser.parse(in);
      more = in.hasRemaining();
      if (request != null) {
        Exchange exchange = new Exchange(request);
        underWay.add(exchange);
        closing = !request.keepAlive();
        continues = false; // It was not told to go on while there was time, and has.
        return exchange;
      }
      continues |= parser.takeContinue();
    } catch (Refused refused) {
      refuse(parser.asksForHead() ? LAST_HEAD : LAST, refused.answer());
      drop(in);
    }
    return null;
  }

  /** Tells a client that has asked nothing why it is not served; that is the only answer. */
  public synchronized void refuse(Answer why) {
    refuse(LAST, why);
  }

  private void refuse(Request request, Answer why) {
    Exchange exchange = new Exchange(request);
    exchange.answer(why);
    underWay.add(exchange);
    refusing = true;
  }

  /** Bytes behind the last request are taken and not served (RFC 9112, section 9.6). */
  private void drop(ByteBuffer in) {
    if (takesNoMore()) {
      in.position(in.limit());
    }
  }

  private boolean takesNoMore() {
    return refusing || closing || deaf.getAsBoolean();
  }

  /**
   * Drops bytes that came behind the last answer.
   *
   * @return whether more of them is borne; if not, the connection is to be closed
   */
  public synchronized boolean drops(ByteBuffer in) {
    dropped += in.remaining();
    in.position(in.limit());
    return dropped <= MOST_DROPPED;
  }

  /** Whether further requests are taken now; bytes that are not taken have to be kept. */
  public synchronized boolean room() {
    return !refusing && !closing && underWay.size() < limits.pipeline();
  }

  /** Whether all answers were taken to be written, and no further request is taken. */
  public synchronized boolean over() {
    return (refusing || closing) && underWay.isEmpty();
  }

  /** Whether nothing was asked that is not answered, not even in part. */
  public synchronized boolean idle() {
    return underWay.isEmpty() && leaving == 0 && !parser.amidst();
  }

  /** Whether answers are still to be given, or to leave. */
  public synchronized boolean busy() {
    return !underWay.isEmpty() || leaving > 0;
  }

  /** Whether an answer was taken to be written, and has not left. */
  public synchronized boolean leaving() {
    return leaving > 0;
  }

  /** Whether the server ends, nothing more has come, and all that came has its answer. */
  public synchronized boolean settled() {
    return underWay.isEmpty() && leaving == 0 && (dry || refusing || closing);
  }

  /**
   * Requests whose answers have not left. An answer counts until then, so that none is lost between
   * the thread that takes it and the one that asks.
   */
  public synchronized int unanswered() {
    return underWay.size() + leaving;
  }

  /** Notes that the server's end cuts the connection off; false if it was noted before. */
  public synchronized boolean cutOff() {
    boolean first = !cut;
    cut = true;
    return first;
  }

  /**
   * Whether the server ends, and nobody has looked since whether more has come: whoever reads is to
   * do so once more, without waiting.
   */
  public synchronized boolean looks() {
    return ending.getAsBoolean() && !dry && !refusing && !closing;
  }

  /** Nothing has come: to be said after a look that was begun while {@link #looks()} held. */
  public synchronized void dry() {
    dry = true;
  }

  /** Whether there are bytes whose turn it is to leave. */
  public synchronized boolean ready() {
    Exchange first = underWay.peek();
    return first == null ? continues : first.answer() != null && !heldBack(first);
  }

  /**
   * Takes the bytes whose turn it is to leave, or null while there are none. They have not left
   * before {@link #left} is called.
   */
  public synchronized @Nullable ByteBuffer next() {
    Exchange first = underWay.peek();
    if (first == null) {
      boolean told = continues;
      continues = false;
      leaving += told ? 1 : 0;
      return told ? ByteBuffer.wrap(CONTINUE) : null;
    }
    ByteBuffer answer = first.answer();
    if (answer == null || heldBack(first)) {
      return null;
    }
    if (newest(first) && !refusing && !closing && ending.getAsBoolean()) {
      closing = true;
      answer = first.lastAnswer();
    }
    underWay.remove();
    leaving++;
    return answer;
  }

  /** Notes that all that was taken has left. */
  public synchronized void left() {
    leaving = 0;
  }

  private boolean newest(Exchange exchange) {
    return underWay.peekLast() == exchange;
  }

  /** Whether it is not known yet that this answer, which is ready, is not the last one. */
  private boolean heldBack(Exchange exchange) {
    return newest(exchange) && !takesNoMore() && (more || !dry) && ending.getAsBoolean();
  }
}
