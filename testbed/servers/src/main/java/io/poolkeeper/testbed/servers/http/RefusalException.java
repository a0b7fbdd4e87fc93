package io.poolkeeper.testbed.servers.http;

/** Why bytes make no request that can be served; nothing behind them on the connection is read. */
final class RefusalException extends Exception {

  private static final long serialVersionUID = 1L;

  private final Status status;

  /** It is thrown for every bad request of every client, so it has no trace. */
  RefusalException(Status status, String why) {
    super(why, null, false, false);
    this.status = status;
  }

  static RefusalException malformed(String why) {
    return new RefusalException(Status.BAD_REQUEST, why);
  }

  Answer answer() {
    return Answer.refusal(status, String.valueOf(getMessage()));
  }
}
