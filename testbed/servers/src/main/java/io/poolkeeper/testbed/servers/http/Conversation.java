package io.poolkeeper.testbed.servers.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The conversation on one connection, apart from its input and output: requests come out in order,
 * answers go in as they are ready, and leave in the order of the requests. Its {@link Lifecycle}
 * says what the connection is to do next.
 *
 * <p>One thread reads at a time and one writes at a time; they may be two. A client that sends
 * faster than it is served, or than it takes its answers, is not to be read from until there is
 * room.
 */
public final class Conversation {

  private static final Request LAST = new Request("GET", "/", false, false);
  private static final Request LAST_HEAD = new Request("HEAD", "/", false, false);
  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Lifecycle life;
  private final BooleanSupplier ending;
  private final BooleanSupplier refusing;
  private final RequestParser parser;
  private final ArrayDeque<Exchange> underWay = new ArrayDeque<>();

  /** Whether the client waits for leave to send a body. */
  private boolean continues;

  /** Whether the server's end has cut the connection off. */
  private boolean cut;

  /**
   * Begins with nothing said.
   *
   * @param ending whether the server is about to stop; once it is, it stays so
   * @param refusing whether it takes no request any more, which an ending one comes to: what has
   *     been read is answered, and what still comes is dropped
   */
  public Conversation(Limits limits, BooleanSupplier ending, BooleanSupplier refusing) {
    this.ending = ending;
    this.refusing = refusing;
    life = new Lifecycle(limits.pipeline());
    parser = new RequestParser(limits);
  }

  /** The lifecycle as of now: whether the server ends is asked for, and not told. */
  private Lifecycle life() {
    if (ending.getAsBoolean()) {
      life.serverEnds();
    }
    return life;
  }

  /**
   * Takes bytes up to the end of the next request. What is no request that can be served is refused
   * at once, in its turn; that is the last answer of the connection. Bytes behind the last request
   * are taken and dropped (RFC 9112, section 9.6).
   *
   * @return the request, which the caller has answered; null if the bytes do not end one, or are
   *     not wanted any more, in which case there may be something to write
   */
  public synchronized @Nullable Exchange read(ByteBuffer in) {
    Lifecycle life = life();
    Exchange exchange = null;
    if (in.hasRemaining()) {
      life.bytesCame();
    }
    if (!takesRequests(life)) {
      life.dropped(in.remaining());
      in.position(in.limit());
    } else if (life.hasRoom()) {
      exchange = parse(in, life);
    }
    life.parsed(in.hasRemaining());
    return exchange;
  }

  private @Nullable Exchange parse(ByteBuffer in, Lifecycle life) {
    try {
      Request request = parser.parse(in);
      if (request != null) {
        Exchange exchange = new Exchange(request);
        underWay.add(exchange);
        life.requestRead(!request.keepAlive());
        continues = false; // It was not told to go on while there was time, and has.
        return exchange;
      }
      continues |= parser.takeContinue();
    } catch (RefusalException refused) {
      refuse(parser.asksForHead() ? LAST_HEAD : LAST, refused.answer());
      in.position(in.limit());
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
    life.requestRefused();
  }

  private boolean takesRequests(Lifecycle life) {
    return life.takesRequests() && !refusing.getAsBoolean();
  }

  /** Next step of the connection, once it has read and written what it could. */
  public synchronized Lifecycle.Action action() {
    return life().action();
  }

  /** Whether bytes would be taken now, if only to be dropped; else they have to be kept. */
  public synchronized boolean takesBytes() {
    Lifecycle life = life();
    return life.hasRoom() || !takesRequests(life);
  }

  /** Notes that the client sends no more. */
  public synchronized void inputEnded() {
    life.inputEnded();
  }

  /** Whether the client sends no more. */
  public synchronized boolean inputHasEnded() {
    return life.inputHasEnded();
  }

  /** Notes that the output was ended. */
  public synchronized void outputEnded() {
    life.outputEnded();
  }

  /** Takes nothing more, since the server closes. */
  public synchronized void finish() {
    life().finish();
  }

  /** Whether the output is ended, and only the end of the client is awaited. */
  public synchronized boolean lingers() {
    return life.state() == Lifecycle.State.LINGERING;
  }

  /** Whether answers are still to be given, or to leave. */
  public synchronized boolean busy() {
    return life.busy();
  }

  /** Whether an answer was taken to be written, and has not left. */
  public synchronized boolean leaving() {
    return life.leaving();
  }

  /** Whether the server ends, nothing more has come, and all that came has its answer. */
  public synchronized boolean settled() {
    return life().settled();
  }

  /**
   * Requests whose answers have not left. An answer counts until then, so that none is lost between
   * the thread that takes it and the one that asks.
   */
  public synchronized int unanswered() {
    return life.unanswered();
  }

  /** Whether the server ends without having read all that had come. */
  public synchronized boolean unread() {
    return life().unread();
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
    return life().looks();
  }

  /** Notes that a look found nothing; it must have begun while {@link #looks()} held. */
  public synchronized void nothingCame() {
    life.nothingCame();
  }

  /** Whether there are bytes whose turn it is to leave. */
  public synchronized boolean ready() {
    Exchange first = underWay.peek();
    return first == null ? continues : first.answer() != null && !heldBack(first, life());
  }

  /**
   * Takes the bytes whose turn it is to leave, or null while there are none. They have not left
   * before {@link #left} is called.
   */
  public synchronized @Nullable ByteBuffer next() {
    Exchange first = underWay.peek();
    if (first == null) {
      return takeLeave();
    }
    ByteBuffer answer = first.answer();
    Lifecycle life = life();
    if (answer == null || heldBack(first, life)) {
      return null;
    }
    if (newest(first) && life.endsWithNewest()) {
      life.newestIsLast();
      answer = first.lastAnswer();
    }
    underWay.remove();
    life.answerTaken();
    return answer;
  }

  private @Nullable ByteBuffer takeLeave() {
    if (!continues) {
      return null;
    }
    continues = false;
    life.leaveTaken();
    return ByteBuffer.wrap(CONTINUE);
  }

  /** Notes that all that was taken has left. */
  public synchronized void left() {
    life.left();
  }

  private boolean newest(Exchange exchange) {
    return underWay.peekLast() == exchange;
  }

  /** Whether it is not known yet that this answer, which is ready, is not the last one. */
  private boolean heldBack(Exchange exchange, Lifecycle life) {
    return newest(exchange) && life.holdsBack() && !refusing.getAsBoolean();
  }
}
