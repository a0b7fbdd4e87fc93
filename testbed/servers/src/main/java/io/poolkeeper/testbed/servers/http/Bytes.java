package io.poolkeeper.testbed.servers.http;

/** Kinds of bytes in the lines of a request (RFC 9110, sections 5.5 and 5.6.2). */
final class Bytes {

  private static final String MARKS = "!#$%&'*+-.^_`|~";
  private static final int DELETE = 127;

  private Bytes() {}

  /** Whether a token, such as a method or the name of a field, may hold it. */
  static boolean isToken(int c) {
    return isAlphanumeric(c) || (c > 0 && MARKS.indexOf(c) >= 0);
  }

  static boolean isAlphanumeric(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c);
  }

  static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  static boolean isHexadecimal(int c) {
    return Character.digit(c, 16) >= 0;
  }

  /** Whether it is a control character that no value may hold; a tab is none. */
  static boolean isControl(int c) {
    return (c >= 0 && c < ' ' && c != '\t') || c == DELETE;
  }

  /** Whether it is neither a blank nor a control character. */
  static boolean isVisible(int c) {
    return c > ' ' && c != DELETE;
  }
}
