package io.poolkeeper.testbed.servers.http;

/**
 * Limits of what a client may ask of a connection.
 *
 * @param requestLine bytes of a request's first line above which it is refused with 414
 * @param header bytes of a request's header, or of its trailer, above which it is refused with 431
 * @param body bytes of a request's body above which it is refused with 413
 * @param pipeline requests of one connection that may be under way at once, 2 or more: whether one
 *     is the last is known from whether another one follows
 */
public record Limits(int requestLine, int header, int body, int pipeline) {

  public static final Limits DEFAULTS = new Limits(4 * 1024, 8 * 1024, 64 * 1024, 32);

  /**
   * @throws IllegalArgumentException naming the limit that is out of its range
   */
  public Limits {
    check("requestLine", requestLine, 16);
    check("header", header, 16);
    check("body", body, 0);
    check("pipeline", pipeline, 2);
  }

  private static void check(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be >= " + least + ", but is " + value);
    }
  }
}
