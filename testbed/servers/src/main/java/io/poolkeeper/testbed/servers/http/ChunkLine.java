package io.poolkeeper.testbed.servers.http;

/**
 * The line in front of a chunk (RFC 9112, section 7.1): a size in hexadecimal digits and, behind
 * semicolons, extensions, whose meaning nobody here knows and whose form is checked all the same.
 */
final class ChunkLine {

  /** Digits of a size; more than any limit of a body needs. */
  private static final int MOST_DIGITS = 8;

  private final byte[] line;
  private final int end;
  private int at;

  private ChunkLine(byte[] line, int end) {
    this.line = line;
    this.end = end;
  }

  /**
   * Reads the size of a chunk.
   *
   * @param end of the line, without its line feed
   * @throws RefusalException if the line is malformed, or the chunk larger than any that is served
   */
  static long size(byte[] line, int end) throws RefusalException {
    ChunkLine parsed = new ChunkLine(line, end);
    long size = parsed.size();
    parsed.extensions();
    return size;
  }

  private long size() throws RefusalException {
    long size = 0;
    while (at < end && Character.digit(line[at], 16) >= 0) {
      size = 16 * size + Character.digit(line[at], 16);
      at++;
      if (at > MOST_DIGITS) {
        throw new RefusalException(
            Status.CONTENT_TOO_LARGE, "the body of the request is too large");
      }
    }
    if (at == 0) {
      throw RefusalException.malformed("a chunk has no size");
    }
    return size;
  }

  private void extensions() throws RefusalException {
    while (at < end) {
      skipBlanks();
      require(take(';'));
      skipBlanks();
      require(takeToken());
      int behindName = at;
      skipBlanks();
      if (take('=')) {
        skipBlanks();
        require(takeQuoted() || takeToken());
      } else {
        at = behindName; // Blanks are allowed in front of what follows, and not at the end.
      }
    }
  }

  private static void require(boolean wellFormed) throws RefusalException {
    if (!wellFormed) {
      throw RefusalException.malformed("a chunk has a malformed extension");
    }
  }

  private void skipBlanks() {
    while (at < end && (line[at] == ' ' || line[at] == '\t')) {
      at++;
    }
  }

  private boolean take(char wanted) {
    boolean taken = at < end && line[at] == wanted;
    at += taken ? 1 : 0;
    return taken;
  }

  private boolean takeToken() {
    int begin = at;
    while (at < end && Bytes.isToken(line[at])) {
      at++;
    }
    return at > begin;
  }

  /** Takes a string in quotes, if one begins here and ends in this line. */
  private boolean takeQuoted() {
    if (!take('"')) {
      return false;
    }
    while (at < end && line[at] != '"') {
      boolean escaped = line[at] == '\\';
      at += escaped ? 1 : 0;
      if (at == end || Bytes.isControl(line[at])) {
        return false;
      }
      at++;
    }
    return take('"');
  }
}
