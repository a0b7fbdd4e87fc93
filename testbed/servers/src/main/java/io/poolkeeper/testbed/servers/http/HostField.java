package io.poolkeeper.testbed.servers.http;

/** The value of a Host field: a host and, behind a colon, a port (RFC 3986, section 3.2). */
final class HostField {

  /** Marks that the name of a host may hold besides letters, digits and escapes. */
  private static final String MARKS = "-._~!$&'()*+,;=";

  private HostField() {}

  /**
   * Whether the value between these places, blanks around it aside, is well-formed; an empty one
   * is, and names no host.
   */
  static boolean isValid(byte[] line, int from, int to) {
    int begin = from;
    int end = to;
    while (begin < end && isBlank(line[begin])) {
      begin++;
    }
    while (begin < end && isBlank(line[end - 1])) {
      end--;
    }
    boolean bracketed = begin < end && line[begin] == '[';
    int port = bracketed ? addressEnd(line, begin + 1, end) : nameEnd(line, begin, end);
    return port >= 0 && isPort(line, port, end);
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t';
  }

  /** Place behind the bracket that ends an address, or -1 if it is malformed. */
  private static int addressEnd(byte[] line, int begin, int end) {
    int at = begin;
    while (at < end && (Bytes.isHexadecimal(line[at]) || line[at] == ':' || line[at] == '.')) {
      at++;
    }
    return at > begin && at < end && line[at] == ']' ? at + 1 : -1;
  }

  /** End of a name or a numeric address, or -1 if it is malformed. */
  private static int nameEnd(byte[] line, int begin, int end) {
    int at = begin;
    while (at < end && line[at] != ':') {
      if (line[at] == '%') {
        if (at + 2 >= end
            || !Bytes.isHexadecimal(line[at + 1])
            || !Bytes.isHexadecimal(line[at + 2])) {
          return -1;
        }
        at += 2;
      } else if (!Bytes.isAlphanumeric(line[at]) && MARKS.indexOf(line[at]) < 0) {
        return -1;
      }
      at++;
    }
    return at;
  }

  /** Whether a colon and digits, or nothing, stand between these places. */
  private static boolean isPort(byte[] line, int begin, int end) {
    for (int i = begin + 1; i < end; i++) {
      if (!Bytes.isDigit(line[i])) {
        return false;
      }
    }
    return begin == end || line[begin] == ':';
  }
}
