package io.poolkeeper.testbed.servers.http;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests in the bytes of a connection, one after the other, however the bytes are cut into
 * pieces. Bodies are counted off and dropped.
 *
 * <p>Follows RFC 9112. Where that lets a recipient choose: a line of the head may end with a bare
 * line feed, empty lines before a request are skipped, and a line that continues the one before is
 * malformed. Lines between chunks end with a carriage return and a line feed, and nothing else.
 */
final class RequestParser {

  private enum State {
    FIRST_LINE,
    HEADER,
    BODY,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILER
  }

  private static final int INITIAL_LINE = 256;

  private final Limits limits;
  private final HeadReader head = new HeadReader();
  private State state = State.FIRST_LINE;
  private byte[] line = new byte[INITIAL_LINE];
  private int lineLength;

  /** Bytes of the first line, then of the header, then of the trailer. */
  private int headBytes;

  /** Bytes of the body, or of the chunk, that are yet to come. */
  private long remaining;

  private long bodyBytes;
  private boolean continues;

  RequestParser(Limits limits) {
    this.limits = limits;
  }

  /**
   * Takes bytes up to the end of one request at most.
   *
   * @return the request, or null if it goes on behind these bytes
   * @throws RefusalException if they make no request that can be served; there is nothing to parse
   *     after it
   */
  @Nullable Request parse(ByteBuffer in) throws RefusalException {
    while (in.hasRemaining()) {
      if (state == State.BODY || state == State.CHUNK) {
        int skipped = (int) Math.min(remaining, in.remaining());
        in.position(in.position() + skipped);
        remaining -= skipped;
      } else if (readLine(in)) {
        understand();
      }
      if (remaining == 0 && state == State.BODY) {
        state = State.FIRST_LINE;
        continues = false; // Its body is here, so its client waits for nothing.
        return head.request();
      }
      if (remaining == 0 && state == State.CHUNK) {
        state = State.CHUNK_END;
      }
    }
    return null;
  }

  /** Whether the request that is being read asks for an answer without a body. */
  boolean asksForHead() {
    return state != State.FIRST_LINE && head.asksForHead();
  }

  /** Whether the client waits to be told to send the body of a request; true once for each. */
  boolean takeContinue() {
    boolean taken = continues;
    continues = false;
    return taken;
  }

  /** Adds bytes to the line; true when its end was found, which is not part of it. */
  private boolean readLine(ByteBuffer in) throws RefusalException {
    int most = state == State.FIRST_LINE ? limits.requestLine() : limits.header();
    while (in.hasRemaining()) {
      byte next = in.get();
      if (++headBytes > most) {
        throw tooLarge();
      }
      if (next == '\n') {
        if (lineLength > 0 && line[lineLength - 1] == '\r') {
          lineLength--;
        } else if (state != State.FIRST_LINE && state != State.HEADER) {
          throw RefusalException.malformed("a line between chunks ends with a bare line feed");
        }
        return true;
      }
      if (lineLength == line.length) {
        line = Arrays.copyOf(line, 2 * lineLength);
      }
      line[lineLength++] = next;
    }
    return false;
  }

  private RefusalException tooLarge() {
    return state == State.FIRST_LINE
        ? new RefusalException(Status.URI_TOO_LONG, "the request's first line is too long")
        : new RefusalException(Status.HEADER_TOO_LARGE, "the request's header is too large");
  }

  private void understand() throws RefusalException {
    int length = lineLength;
    lineLength = 0;
    switch (state) {
      case FIRST_LINE -> {
        if (length > 0) {
          head.first(line, length);
          beginLines(State.HEADER);
        }
      }
      case HEADER -> {
        if (length > 0) {
          head.field(line, length);
        } else {
          endHead();
        }
      }
      case CHUNK_SIZE -> beginChunk(length);
      case CHUNK_END -> {
        if (length > 0) {
          throw RefusalException.malformed("a chunk is longer than it says");
        }
        beginLines(State.CHUNK_SIZE);
      }
      case TRAILER -> {
        if (length == 0) {
          beginLines(State.BODY);
        } else {
          int unused = HeadReader.requireField(line, length);
        }
      }
      default -> throw new AssertionError(state);
    }
  }

  /** From here on the head's bytes are counted anew. */
  private void beginLines(State next) {
    state = next;
    headBytes = 0;
  }

  private void endHead() throws RefusalException {
    head.end();
    headBytes = 0;
    bodyBytes = 0;
    remaining = head.length();
    checkBody(remaining);
    state = head.chunked() ? State.CHUNK_SIZE : State.BODY;
    continues = head.expectsContinue() && (head.chunked() || remaining > 0);
  }

  private void beginChunk(int length) throws RefusalException {
    long size = ChunkLine.size(line, length);
    checkBody(size);
    remaining = size;
    if (size > 0) {
      state = State.CHUNK;
    } else {
      beginLines(State.TRAILER);
    }
  }

  private void checkBody(long more) throws RefusalException {
    if (more > limits.body() - bodyBytes) {
      throw new RefusalException(Status.CONTENT_TOO_LARGE, "the body of the request is too large");
    }
    bodyBytes += more;
  }
}
