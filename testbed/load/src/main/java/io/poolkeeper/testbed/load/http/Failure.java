package io.poolkeeper.testbed.load.http;

/** Why a request got no HTTP answer, or not the one that was expected. */
enum Failure {
  CONNECT_REFUSED("connect refused"),
  CONNECT_FAILED("connect failed"),
  CONNECTION_RESET("connection reset"),
  CLOSED("closed before answer"),
  TIMEOUT("timeout"),
  MALFORMED("malformed answer"),
  WRONG_CONTENT("wrong content");

  /** Name in the record. */
  final String kind;

  Failure(String kind) {
    this.kind = kind;
  }
}
