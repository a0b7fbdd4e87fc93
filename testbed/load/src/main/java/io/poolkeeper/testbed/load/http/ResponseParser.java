package io.poolkeeper.testbed.load.http;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the end of HTTP/1.1 answers, one after the other, however their bytes are cut into pieces.
 * It keeps the status and whether the connection may be used again; bodies are counted off,
 * searched for a text that they must hold, and dropped. It allocates nothing for an answer, so that
 * the generator's garbage collector does not show up in the response times.
 *
 * <p>Follows RFC 9112. Where that lets a recipient choose: a line may end with a bare line feed;
 * both {@code Transfer-Encoding} and {@code Content-Length}, or two different lengths, are an
 * error; so are transfer codings other than {@code chunked}, lines above {@value #LONGEST_LINE}
 * bytes and headers above {@value #LARGEST_HEADER} bytes. Interim answers (1xx) are skipped.
 */
final class ResponseParser {

  static final int LONGEST_LINE = 16 * 1024;
  static final int LARGEST_HEADER = 64 * 1024;

  /** Verdict after some bytes. */
  enum Result {
    /** The answer goes on. */
    MORE,
    /** The answer has ended; bytes that remain in the buffer do not belong to it. */
    COMPLETE,
    /** It is not HTTP; {@link #problem()} says why. The connection is of no more use. */
    MALFORMED
  }

  private enum State {
    STATUS_LINE,
    HEADER,
    BODY,
    BODY_TO_CLOSE,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILER
  }

  private static final int INITIAL_LINE = 128;
  private static final int NONE = -1;

  private State state = State.STATUS_LINE;
  private final ContentSearch content = new ContentSearch();
  private boolean headOnly;
  private int status;
  private boolean persistent;
  private boolean closing;
  private boolean begun;
  private @Nullable String problem;

  private byte[] line = new byte[INITIAL_LINE];
  private int lineLength;
  private int headerBytes;

  private long contentLength;
  private boolean chunked;
  private boolean framingHeader;

  /** Bytes of the body, or of the chunk, that are yet to come. */
  private long remaining;

  /**
   * Makes ready for the next answer.
   *
   * @param headOnly whether it has no body whatever its header says, as the answer to HEAD
   * @param text what its body must hold to be right; empty if any is
   */
  void expect(boolean headOnly, String text) {
    this.headOnly = headOnly;
    content.begin(text);
    begun = false;
    problem = null;
    beginHeader();
  }

  private void beginHeader() {
    state = State.STATUS_LINE;
    lineLength = 0;
    headerBytes = 0;
    contentLength = NONE;
    chunked = false;
    framingHeader = false;
  }

  /** The status code, 200..599, once the answer is complete. */
  int status() {
    return status;
  }

  /** Whether the body held the text that it must hold, once the answer is complete. */
  boolean contentFound() {
    return content.found();
  }

  /** Whether another request may follow on the connection, once the answer is complete. */
  boolean reusable() {
    return persistent && !closing;
  }

  /** Returns the fault in a few words out of a fixed set, once the answer was found malformed. */
  String problem() {
    return problem == null ? "" : problem;
  }

  /** Whether a byte of the answer has come. */
  boolean begun() {
    return begun;
  }

  /** Whether the answer is complete if the server closes the connection now. */
  boolean endsWithClose() {
    return state == State.BODY_TO_CLOSE;
  }

  /** Takes bytes up to the end of the answer at most. */
  Result parse(ByteBuffer in) {
    begun |= in.hasRemaining();
    while (in.hasRemaining()) {
      switch (state) {
        case BODY_TO_CLOSE -> content.take(in, in.remaining());
        case BODY, CHUNK -> {
          int skipped = (int) Math.min(remaining, in.remaining());
          content.take(in, skipped);
          remaining -= skipped;
          if (remaining == 0) {
            if (state == State.BODY) {
              return Result.COMPLETE;
            }
            state = State.CHUNK_END;
          }
        }
        case STATUS_LINE, HEADER, CHUNK_SIZE, CHUNK_END, TRAILER -> {
          if (takeLine(in) && endOfLine()) {
            return Result.COMPLETE;
          }
          if (problem != null) {
            return Result.MALFORMED;
          }
        }
      }
    }
    return Result.MORE;
  }

  /** Moves bytes to {@link #line}; true once it is whole, without its line end. */
  private boolean takeLine(ByteBuffer in) {
    int from = in.position();
    int end = from;
    int limit = in.limit();
    while (end < limit && in.get(end) != '\n') {
      end++;
    }
    int length = end - from;
    headerBytes += length;
    if (lineLength + length > LONGEST_LINE) {
      return fail("line too long");
    }
    if (headerBytes > LARGEST_HEADER && state != State.CHUNK_SIZE && state != State.CHUNK_END) {
      return fail("header too large");
    }
    if (lineLength + length > line.length) {
      line = Arrays.copyOf(line, Math.max(2 * line.length, lineLength + length));
    }
    in.get(line, lineLength, length);
    lineLength += length;
    if (end == limit) {
      return false;
    }
    in.get();
    if (lineLength > 0 && line[lineLength - 1] == '\r') {
      lineLength--;
    }
    return true;
  }

  /** Takes the line; true if the answer ends with it. */
  private boolean endOfLine() {
    boolean complete =
        switch (state) {
          case STATUS_LINE -> statusLine();
          case HEADER -> lineLength == 0 ? endOfHeader() : header();
          case CHUNK_SIZE -> chunkSize();
          case CHUNK_END -> endOfChunk();
          case TRAILER -> lineLength == 0;
          case BODY, BODY_TO_CLOSE, CHUNK -> throw new AssertionError(state);
        };
    lineLength = 0;
    return complete;
  }

  private boolean statusLine() {
    boolean valid =
        lineLength >= 12
            && startsWith("http/1.")
            && (line[7] == '0' || line[7] == '1')
            && line[8] == ' '
            && (lineLength == 12 || line[12] == ' ');
    status = valid ? decimal(9, 12) : NONE;
    if (status < 100 || status > 599 || status == 101) {
      return fail("not a status line");
    }
    persistent = line[7] == '1';
    closing = false;
    state = State.HEADER;
    return false;
  }

  private boolean header() {
    if (line[0] == ' ' || line[0] == '\t') {
      // A folded line goes on with the header before it, which matters if that one did.
      return framingHeader && fail("folded header");
    }
    int colon = 0;
    while (colon < lineLength && line[colon] != ':') {
      if (line[colon] <= ' ') {
        return fail("bad header name");
      }
      colon++;
    }
    if (colon == 0 || colon == lineLength) {
      return fail("header without name");
    }
    framingHeader = true;
    if (named("content-length", colon)) {
      contentLength(colon + 1);
    } else if (named("transfer-encoding", colon)) {
      transferEncoding(colon + 1);
    } else if (named("connection", colon)) {
      connection(colon + 1);
    } else {
      framingHeader = false;
    }
    return false;
  }

  private void contentLength(int from) {
    int start = skipBlanks(from);
    int end = trimmedEnd();
    long length = end - start > 18 ? NONE : decimalLong(start, end);
    if (length < 0 || (contentLength != NONE && contentLength != length)) {
      fail("bad content length");
    }
    contentLength = length;
  }

  private void transferEncoding(int from) {
    int start = skipBlanks(from);
    if (chunked || trimmedEnd() - start != 7 || !matches("chunked", start)) {
      fail("unknown transfer coding");
    }
    chunked = true;
  }

  private void connection(int from) {
    for (int start = skipBlanks(from); start < lineLength; ) {
      int end = start;
      while (end < lineLength && line[end] != ',' && line[end] > ' ') {
        end++;
      }
      if (end - start == 5 && matches("close", start)) {
        closing = true;
      } else if (end - start == 10 && matches("keep-alive", start)) {
        persistent = true;
      }
      start = end;
      while (start < lineLength && (line[start] == ',' || line[start] <= ' ')) {
        start++;
      }
    }
  }

  private boolean endOfHeader() {
    if (chunked && contentLength != NONE) {
      return fail("both content length and transfer coding");
    }
    if (status < 200) {
      beginHeader();
      return false;
    }
    if (headOnly || status == 204 || status == 304 || (contentLength == 0 && !chunked)) {
      return true;
    }
    if (chunked) {
      state = State.CHUNK_SIZE;
    } else if (contentLength > 0) {
      remaining = contentLength;
      state = State.BODY;
    } else {
      closing = true;
      state = State.BODY_TO_CLOSE;
    }
    return false;
  }

  private boolean chunkSize() {
    long size = 0;
    int end = 0;
    for (; end < lineLength && Character.digit(line[end], 16) >= 0; end++) {
      size = size * 16 + Character.digit(line[end], 16);
    }
    int after = skipBlanks(end);
    if (end == 0 || end > 15 || (after < lineLength && line[after] != ';')) {
      return fail("bad chunk size");
    }
    remaining = size;
    state = size == 0 ? State.TRAILER : State.CHUNK;
    headerBytes = 0;
    return false;
  }

  private boolean endOfChunk() {
    state = State.CHUNK_SIZE;
    return lineLength > 0 && fail("chunk longer than its size");
  }

  private boolean fail(String what) {
    problem = what;
    return false;
  }

  /** Whether the header's name is {@code name}, which is in lower case. */
  private boolean named(String name, int length) {
    return length == name.length() && matches(name, 0);
  }

  private boolean startsWith(String text) {
    return lineLength >= text.length() && matches(text, 0);
  }

  /** Whether {@code text}, in lower case, stands at {@code from}, in whatever case. */
  private boolean matches(String text, int from) {
    for (int i = 0; i < text.length(); i++) {
      byte b = line[from + i];
      if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int skipBlanks(int from) {
    int i = from;
    while (i < lineLength && (line[i] == ' ' || line[i] == '\t')) {
      i++;
    }
    return i;
  }

  private int trimmedEnd() {
    int end = lineLength;
    while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t')) {
      end--;
    }
    return end;
  }

  private int decimal(int from, int to) {
    return (int) decimalLong(from, to);
  }

  /** The number in these digits, or {@link #NONE} if there are none or other characters. */
  private long decimalLong(int from, int to) {
    long value = from < to ? 0 : NONE;
    for (int i = from; i < to; i++) {
      if (line[i] < '0' || line[i] > '9') {
        return NONE;
      }
      value = value * 10 + line[i] - '0';
    }
    return value;
  }
}
