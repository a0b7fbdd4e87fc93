package io.tidepool.testbed.servers.http;

/**
 * A request whose head was read, and whose body was counted off and dropped.
 *
 * @param method as it was sent, such as {@code GET}
 * @param target as it was sent, such as {@code /app?id=1}
 * @param old whether it is of HTTP/1.0, where a connection ends with its answer unless asked to
 *     stay
 * @param keepAlive whether another request may follow on the connection
 */
public record Request(String method, String target, boolean old, boolean keepAlive) {

  /** The target without its query. */
  public String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** Whether the answer has the length of its body, but no body. */
  boolean head() {
    return method.equals("HEAD");
  }
}
