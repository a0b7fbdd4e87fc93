package io.poolkeeper.testbed.servers.http;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The Date field of answers (RFC 9110, section 6.6.1). It is made once a second, by whoever asks
 * first in it.
 */
public final class HttpDate {

  /** The date of the wall clock. */
  public static final HttpDate NOW = new HttpDate(Clock.systemUTC());

  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private static final class Second {
    private final long number;
    private final String text;
    private final byte[] line;

    Second(long number, String text) {
      this.number = number;
      this.text = text;
      line = ("date: " + text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }
  }

  private final Clock clock;
  private volatile Second latest = new Second(Long.MIN_VALUE, "");

  HttpDate(Clock clock) {
    this.clock = clock;
  }

  /** The value of the field, such as {@code Sun, 06 Nov 1994 08:49:37 GMT}. */
  public String text() {
    return now().text;
  }

  /** The line of the field, with its end; not to be changed. */
  byte[] line() {
    return now().line;
  }

  private Second now() {
    long second = Math.floorDiv(clock.millis(), 1000);
    Second made = latest;
    if (made.number != second) {
      made = new Second(second, FORMAT.format(Instant.ofEpochSecond(second)));
      latest = made;
    }
    return made;
  }
}
