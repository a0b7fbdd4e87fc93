package io.poolkeeper.testbed.load.http;

import java.util.stream.IntStream;

/** Names of status codes in the record. */
public final class HttpStatus {

  /** Made once, because a server under too much load may answer nothing but errors. */
  private static final String[] KINDS =
      IntStream.range(0, 600).mapToObj(status -> "status " + status).toArray(String[]::new);

  private HttpStatus() {}

  /** The kind of error that an answer with this status is. */
  public static String kind(int status) {
    return KINDS[status];
  }

  /** The reason phrase of RFC 9110, or nothing for codes that load tests hardly meet. */
  public static String reason(int status) {
    return switch (status) {
      case 200 -> "OK";
      case 201 -> "Created";
      case 202 -> "Accepted";
      case 204 -> "No Content";
      case 301 -> "Moved Permanently";
      case 302 -> "Found";
      case 304 -> "Not Modified";
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 408 -> "Request Timeout";
      case 413 -> "Content Too Large";
      case 429 -> "Too Many Requests";
      case 500 -> "Internal Server Error";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      case 504 -> "Gateway Timeout";
      default -> "";
    };
  }
}
