package io.poolkeeper.testbed.ntier.web;

import java.io.Serial;

/** The answer to a request that cannot be met: a status, and a line of text. */
public final class Refusal extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  private final int status;

  private Refusal(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** The status code, 400 or above. */
  public int status() {
    return status;
  }

  /** Refuses what the client sent. */
  public static Refusal badRequest(String message) {
    return new Refusal(400, message);
  }

  /** Refuses a user who may not do this. */
  public static Refusal forbidden(String message) {
    return new Refusal(403, message);
  }

  /** States that there is no such thing. */
  public static Refusal notFound(String thing, Object value) {
    return new Refusal(404, "there is no %s %s".formatted(thing, value));
  }

  /** States that no interaction has this path. */
  static Refusal noPage(String message) {
    return new Refusal(404, message);
  }

  /** States that something has changed meanwhile. */
  public static Refusal conflict(String message) {
    return new Refusal(409, message);
  }
}
