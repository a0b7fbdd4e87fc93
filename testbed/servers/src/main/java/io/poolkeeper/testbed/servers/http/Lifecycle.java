package io.poolkeeper.testbed.servers.http;

/**
 * The life of a connection as a state machine: events in, the next {@link Action} out. All
 * architectures share it, so that a connection of theirs does input and output and nothing else.
 *
 * <p>A server that ends answers what has been sent to it before, and says with the last answer that
 * it is the last. Only a further look at the socket can tell which answer that is, hence {@link
 * State#LOOKING} and {@link State#QUIET}. A connection ends in two steps (RFC 9112, section 9.6),
 * hence {@link State#LINGERING}: closing at once while bytes of the client are unread would reset
 * the connection, and the last answer might be lost.
 *
 * <p>Not safe for use by several threads: a {@link Conversation} guards it.
 */
public final class Lifecycle {

  /** Phases, in the order in which they follow each other; only the first three alternate. */
  enum State {
    /** Requests are read, and answers leave. */
    OPEN,

    /** The server ends; the newest answer waits until it is known whether more has come. */
    LOOKING,

    /** The server ends and nothing more has come: the newest answer is the last. */
    QUIET,

    /** The last request has been read, or refused; answers still leave. */
    LAST,

    /** All answers have left and the output is ended; what still comes is dropped. */
    LINGERING
  }

  /** Next step of a connection once it has read and written what it could. */
  public enum Action {
    /** Read more, or drop it behind the last answer. */
    READ,

    /** Do not read: there is no room, or the client sends no more. */
    WAIT,

    /** End the output, and report it with {@link #outputEnded}. */
    END_OUTPUT,

    /** Close the connection. */
    CLOSE
  }

  /**
   * Bytes behind the last answer that are taken and dropped. A client that sends more loses the
   * connection, and perhaps the answer with it.
   */
  static final long MOST_DROPPED = 4 * 1024 * 1024;

  private final int pipeline;
  private State state = State.OPEN;

  /** Requests without an answer that was taken. */
  private int underWay;

  /** Answers that were taken to be written, and have not left. */
  private int leaving;

  /** Whether bytes lie behind the newest request that have not been parsed. */
  private boolean unparsed;

  /** Whether the client sends no more. */
  private boolean inputEnded;

  /** Whether the server stopped to read before it had looked. */
  private boolean unread;

  private long dropped;

  /**
   * Creates an open connection.
   *
   * @param pipeline requests that may be under way at once
   */
  Lifecycle(int pipeline) {
    this.pipeline = pipeline;
  }

  State state() {
    return state;
  }

  /** The server begins to end; once it does, it goes on to. */
  void serverEnds() {
    if (state == State.OPEN) {
      state = State.LOOKING;
      lookAtTheEnd();
    }
  }

  /** Nobody has to look for more from a client that sends no more. */
  private void lookAtTheEnd() {
    if (inputEnded) {
      nothingCame();
    }
  }

  /** Bytes have come, or come back to be parsed. */
  void bytesCame() {
    if (state == State.QUIET) {
      state = State.LOOKING;
    }
  }

  /** A look at the socket found nothing; it counts unless bytes are left to be parsed. */
  void nothingCame() {
    if (state == State.LOOKING && !unparsed) {
      state = State.QUIET;
    }
  }

  /** Parsing has come to an end for now. */
  void parsed(boolean bytesLeft) {
    unparsed = bytesLeft;
    lookAtTheEnd();
  }

  /**
   * A request was read.
   *
   * @param last whether its client wants no further one
   */
  void requestRead(boolean last) {
    underWay++;
    if (last) {
      takeNoMore();
    }
  }

  /** The bytes that came were refused, which is the last answer. */
  void requestRefused() {
    underWay++;
    takeNoMore();
  }

  /** The server takes nothing more on this connection, and sends what is ready. */
  void finish() {
    unread |= looks();
    takeNoMore();
  }

  /** The answer to the newest request is taken as the last one. */
  void newestIsLast() {
    takeNoMore();
  }

  private void takeNoMore() {
    if (state.compareTo(State.LAST) < 0) {
      state = State.LAST;
    }
  }

  /** The client has ended its side. */
  void inputEnded() {
    inputEnded = true;
    lookAtTheEnd();
  }

  /** The answer to the oldest request is taken to be written. */
  void answerTaken() {
    underWay--;
    leaving++;
  }

  /** Leave to send a body is taken to be written. */
  void leaveTaken() {
    leaving++;
  }

  /** All that was taken has left. */
  void left() {
    leaving = 0;
  }

  /** The output was ended, by the action or by the end of the server. */
  void outputEnded() {
    state = State.LINGERING;
  }

  /** Bytes behind the last request were dropped. */
  void dropped(int bytes) {
    dropped += bytes;
  }

  /** Whether the client has ended its side. */
  boolean inputHasEnded() {
    return inputEnded;
  }

  /** Next step of the connection. */
  Action action() {
    boolean busy = busy();
    return switch (state) {
      case OPEN, LOOKING, QUIET -> {
        if (inputEnded) {
          yield busy || unparsed ? Action.WAIT : Action.CLOSE;
        }
        yield hasRoom() ? Action.READ : Action.WAIT;
      }
      case LAST -> busy ? Action.WAIT : inputEnded ? Action.CLOSE : Action.END_OUTPUT;
      case LINGERING -> inputEnded || dropped > MOST_DROPPED ? Action.CLOSE : Action.READ;
    };
  }

  /** Whether further requests are taken at all. */
  boolean takesRequests() {
    return state.compareTo(State.LAST) < 0;
  }

  /** Whether a further request is taken now. */
  boolean hasRoom() {
    return takesRequests() && underWay < pipeline;
  }

  /** Whether whoever reads is to look at the socket once more, without waiting. */
  boolean looks() {
    return state == State.LOOKING;
  }

  /** Whether the answer to the newest request is held back until somebody has looked. */
  boolean holdsBack() {
    return state == State.LOOKING;
  }

  /** Whether the answer to the newest request is the last one, and has to say so. */
  boolean endsWithNewest() {
    return state == State.QUIET || state == State.LOOKING;
  }

  /** Whether answers are still to be given, or to leave. */
  boolean busy() {
    return underWay > 0 || leaving > 0;
  }

  /** Whether an answer was taken to be written, and has not left. */
  boolean leaving() {
    return leaving > 0;
  }

  /** Whether the server ends, nothing more has come, and all that came has its answer. */
  boolean settled() {
    return !busy() && state.compareTo(State.QUIET) >= 0;
  }

  /** Requests whose answers have not left. */
  int unanswered() {
    return underWay + leaving;
  }

  /** Whether the server ends without having read all that had come. */
  boolean unread() {
    return unread || looks();
  }
}
