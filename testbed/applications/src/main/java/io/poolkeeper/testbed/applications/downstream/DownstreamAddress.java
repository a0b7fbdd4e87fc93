package io.poolkeeper.testbed.applications.downstream;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a downstream server, and the time that its callers give it.
 *
 * @param host name or number
 * @param port from 1 to 65535
 * @param timeout longest time from a request to the last byte of its answer, connecting included; 1
 *     ms or more
 */
public record DownstreamAddress(String host, int port, Duration timeout) {

  /** Default time that a caller gives the downstream server. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final Pattern FORM = Pattern.compile("([^:\\s]+):(\\d{1,5})");

  public DownstreamAddress {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port of downstream must be 1..65535, but is " + port);
    }
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("downstream-timeout must be >= 1 ms, but is " + timeout);
    }
  }

  /**
   * Reads {@code HOST:PORT}.
   *
   * @throws IllegalArgumentException naming the setting and the text
   */
  public static DownstreamAddress of(String text, Duration timeout) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "downstream must be HOST:PORT, such as 127.0.0.1:8080, but is '" + text + "'");
    }
    return new DownstreamAddress(matcher.group(1), Integer.parseInt(matcher.group(2)), timeout);
  }
}
