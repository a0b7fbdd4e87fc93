package io.poolkeeper.testbed.servers.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** The date of answers, by a clock that is set by hand. */
final class HttpDateTest {

  private static final class SetClock extends Clock {
    private Instant now = Instant.parse("1994-11-06T08:49:37.999Z");

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  @Test
  void isThatOfTheSecond() {
    SetClock clock = new SetClock();
    HttpDate date = new HttpDate(clock);
    assertThat(date.text()).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
    byte[] line = date.line();
    assertThat(new String(line, StandardCharsets.US_ASCII))
        .isEqualTo("date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    clock.now = clock.now.plusMillis(1);
    assertThat(date.text()).isEqualTo("Sun, 06 Nov 1994 08:49:38 GMT");
    assertThat(date.line()).isNotSameAs(line).isSameAs(date.line());
  }
}
