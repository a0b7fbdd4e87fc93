package io.poolkeeper.testbed.servers.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Understands the lines of a request's head (RFC 9112, sections 3 to 6), and finds those malformed
 * whose end two readers could see at different places: whoever stands between client and server may
 * take for a body what is served here as the next request (section 11.2).
 */
final class HeadReader {

  private static final int UNKNOWN = -1;
  private static final int MOST_DIGITS = 18;

  /** Methods that are served; to any other one nothing here has an answer. */
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private static final byte[] GET = "GET".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] VERSION = "HTTP/".getBytes(StandardCharsets.US_ASCII);

  private String method = "";
  private String target = "";
  private int major;
  private int minor;
  private int hosts;
  private long length;
  private @Nullable String coding;
  private boolean asksToClose;
  private boolean asksToStay;
  private boolean expects;

  /** Understands the first line of a head, and forgets the head before. */
  void first(byte[] line, int end) throws RefusalException {
    hosts = 0;
    length = UNKNOWN;
    coding = null;
    asksToClose = false;
    asksToStay = false;
    expects = false;
    this.method = "";
    int method = wordEnd(line, 0, end);
    int target = wordEnd(line, method + 1, end);
    int version = target + 1;
    if (method == 0
        || !isToken(line, method)
        || target <= method + 1
        || !isVisible(line, method + 1, target)
        || !isVersion(line, version, end)) {
      throw RefusalException.malformed("this is no HTTP request");
    }
    this.method =
        Arrays.equals(line, 0, method, GET, 0, GET.length) ? "GET" : text(line, 0, method);
    this.target = text(line, method + 1, target);
    major = line[version + 5] - '0';
    minor = line[version + 7] - '0';
  }

  /** Returns the end of the word that begins there: a space, or the end of the line. */
  private static int wordEnd(byte[] line, int begin, int end) {
    int at = begin;
    while (at < end && line[at] != ' ') {
      at++;
    }
    return at;
  }

  /** Understands one further line of the head. */
  void field(byte[] line, int end) throws RefusalException {
    int colon = requireField(line, end);
    // Only these have a meaning here, and only their values become strings.
    switch (colon) {
      case 4 -> {
        if (is(line, "host")) {
          host(line, colon, end);
        }
      }
      case 6 -> expects |= is(line, "expect") && value(line, colon, end).equals("100-continue");
      case 10 -> {
        if (is(line, "connection")) {
          connection(value(line, colon, end));
        }
      }
      case 14 -> {
        if (is(line, "content-length")) {
          contentLength(value(line, colon, end));
        }
      }
      case 17 -> {
        if (is(line, "transfer-encoding")) {
          String next = value(line, colon, end);
          coding = coding == null ? next : coding + "," + next;
        }
      }
      default -> {}
    }
  }

  /** Requires the form of a field, and returns where its colon is. */
  static int requireField(byte[] line, int end) throws RefusalException {
    int colon = 0;
    while (colon < end && line[colon] != ':') {
      if (!Bytes.isToken(line[colon])) {
        throw RefusalException.malformed("a header field has no valid name");
      }
      colon++;
    }
    if (colon == 0 || colon == end) {
      throw RefusalException.malformed("a header field has no name");
    }
    for (int i = colon + 1; i < end; i++) {
      if (Bytes.isControl(line[i])) {
        throw RefusalException.malformed("a header field holds a control character");
      }
    }
    return colon;
  }

  private void host(byte[] line, int colon, int end) throws RefusalException {
    hosts++;
    if (!HostField.isValid(line, colon + 1, end)) {
      throw RefusalException.malformed("the host is malformed");
    }
  }

  private void connection(String value) {
    for (String option : value.split(",", -1)) {
      asksToClose |= option.strip().equals("close");
      asksToStay |= option.strip().equals("keep-alive");
    }
  }

  private void contentLength(String value) throws RefusalException {
    if (value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw RefusalException.malformed("the content length is no number");
    }
    long number = value.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(value);
    if (length != UNKNOWN && length != number) {
      throw RefusalException.malformed("there are two content lengths");
    }
    length = number;
  }

  /** Judges the head as a whole, once its last line was read. */
  void end() throws RefusalException {
    if (major != 1) {
      throw new RefusalException(
          Status.VERSION_NOT_SUPPORTED, "HTTP/1.1 and HTTP/1.0 are spoken here");
    }
    if (coding != null) {
      if (minor == 0) {
        throw RefusalException.malformed("HTTP/1.0 knows no transfer encoding");
      }
      if (!coding.equals("chunked")) {
        throw new RefusalException(
            Status.NOT_IMPLEMENTED, "no transfer encoding but chunked is known here");
      }
      if (length != UNKNOWN) {
        throw RefusalException.malformed("there are both a content length and a transfer encoding");
      }
    }
    if (!METHODS.contains(method)) {
      throw new RefusalException(Status.NOT_IMPLEMENTED, "the method is not served here");
    }
    if (hosts > 1 || (hosts == 0 && minor > 0)) {
      throw RefusalException.malformed("the request must name one host");
    }
  }

  /** Whether the body comes in chunks. */
  boolean chunked() {
    return coding != null;
  }

  /** Bytes of the body that does not come in chunks. */
  long length() {
    return Math.max(0, length);
  }

  /** Whether the client waits for a word before it sends the body. */
  boolean expectsContinue() {
    return expects && minor > 0;
  }

  /** Whether the head that is being read asks for an answer without a body. */
  boolean asksForHead() {
    return method.equals("HEAD");
  }

  Request request() {
    boolean old = minor == 0;
    return new Request(method, target, old, old ? asksToStay && !asksToClose : !asksToClose);
  }

  private static boolean is(byte[] line, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (Character.toLowerCase(line[i]) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static String value(byte[] line, int colon, int end) {
    return text(line, colon + 1, end).strip().toLowerCase(Locale.ROOT);
  }

  private static String text(byte[] line, int begin, int end) {
    return new String(line, begin, end - begin, StandardCharsets.ISO_8859_1);
  }

  private static boolean isToken(byte[] line, int end) {
    for (int i = 0; i < end; i++) {
      if (!Bytes.isToken(line[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isVisible(byte[] line, int begin, int end) {
    for (int i = begin; i < end; i++) {
      if (!Bytes.isVisible(line[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isVersion(byte[] line, int begin, int end) {
    return end - begin == VERSION.length + 3
        && Arrays.equals(line, begin, begin + VERSION.length, VERSION, 0, VERSION.length)
        && Bytes.isDigit(line[begin + 5])
        && line[begin + 6] == '.'
        && Bytes.isDigit(line[begin + 7]);
  }
}
