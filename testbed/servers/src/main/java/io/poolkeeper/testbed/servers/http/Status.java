package io.poolkeeper.testbed.servers.http;

/** The answers that there are (RFC 9110, section 15). */
public enum Status {
  OK(200, "OK"),
  BAD_REQUEST(400, "Bad Request"),
  NOT_FOUND(404, "Not Found"),
  CONTENT_TOO_LARGE(413, "Content Too Large"),
  URI_TOO_LONG(414, "URI Too Long"),
  HEADER_TOO_LARGE(431, "Request Header Fields Too Large"),
  FAILED(500, "Internal Server Error"),
  NOT_IMPLEMENTED(501, "Not Implemented"),
  UNAVAILABLE(503, "Service Unavailable"),
  VERSION_NOT_SUPPORTED(505, "HTTP Version Not Supported");

  private final int code;
  private final String line;

  Status(int code, String reason) {
    this.code = code;
    line = "HTTP/1.1 " + code + " " + reason + "\r\n";
  }

  public int code() {
    return code;
  }

  /** The first line of an answer with this status, with its end. */
  String line() {
    return line;
  }
}
