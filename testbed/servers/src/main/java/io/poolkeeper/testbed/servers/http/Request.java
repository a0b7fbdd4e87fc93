package io.poolkeeper.testbed.servers.http;

/**
 * A request whose head was read, and whose body was counted off and dropped.
 *
 * @param method as it was sent, such as {@code GET}
 * @param target as it was sent, such as {@code /app?id=1} or {@code http://host/app}
 * @param old whether it is of HTTP/1.0, where a connection ends with its answer unless asked to
 *     stay
 * @param keepAlive whether another request may follow on the connection
 */
public record Request(String method, String target, boolean old, boolean keepAlive) {

  private static final String SCHEME = "http://";

  /** Path of the target, be it in origin form or in absolute form (RFC 9112, section 3.2). */
  public String path() {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    if (!path.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return path;
    }
    int begin = path.indexOf('/', SCHEME.length());
    return begin < 0 ? "/" : path.substring(begin);
  }

  /** Whether the answer has the length of its body, but no body. */
  boolean head() {
    return method.equals("HEAD");
  }
}
