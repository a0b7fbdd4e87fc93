package io.poolkeeper.testbed.load.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.load.http.Exchange;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BottleneckTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Bottleneck bottleneck = new Bottleneck();
  private final Request request = new Request(0, "a", "GET", "/");

  /** Adds intervals in which a load thread had a CPU for so much of the time. */
  private void busy(int intervals, double share) {
    add(intervals, share, 100 * MILLI, 0, 0);
  }

  private void add(int intervals, double busiest, long responseTime, long delay, long held) {
    for (int i = 0; i < intervals; i++) {
      Tally tally = new Tally(1, SECOND);
      Exchange exchange = new Exchange(0);
      exchange.begin(request, 0, 0);
      exchange.answered(200, responseTime);
      tally.count(exchange);
      // A tenth of the probes is not more than a tenth.
      for (int probe = 0; probe < 20; probe++) {
        tally.delayed(probe < 3 ? delay : MILLI / 100);
      }
      bottleneck.add(new Interval(0, SECOND, 0, 1, tally, 0, busiest, Interval.CLOSED, held));
    }
  }

  @Test
  void aBusyThreadInATenthOfTheIntervalsIsOne() {
    busy(27, 0.89);
    busy(2, 0.95);
    assertThat(bottleneck.warnings()).isEmpty();

    busy(1, 0.9);
    assertThat(bottleneck.warnings())
        .singleElement()
        .asString()
        .contains("up to 95 % of a CPU, 90 % or more in 3 of 30 intervals", "--threads");
  }

  @Test
  void oneBusyIntervalIsNeverOne() {
    busy(1, 1);
    assertThat(bottleneck.warnings()).isEmpty();

    busy(1, 1);
    assertThat(bottleneck.warnings()).hasSize(1);
  }

  @Test
  void delaysThatDistortResponseTimesAreOne() {
    add(10, 0.5, 100 * MILLI, 9 * MILLI, 0);
    add(10, 0.5, 2 * MILLI, MILLI * 9 / 10, 0);
    assertThat(bottleneck.warnings()).as("too short, by itself or by comparison").isEmpty();

    add(3, 0.5, 100 * MILLI, 12 * MILLI, 0);
    assertThat(bottleneck.warnings())
        .singleElement()
        .asString()
        .contains("unread for up to 12.", "in 3 of 23 intervals");
  }

  @Test
  void aSlowSampleLogIsOne() {
    add(4, 0.5, MILLI, 0, SECOND / 200);
    assertThat(bottleneck.warnings()).isEmpty();

    add(2, 0.5, MILLI, 0, SECOND / 20);
    assertThat(bottleneck.warnings())
        .singleElement()
        .asString()
        .contains("held the load back in 2 of 6 intervals");
  }

  @Test
  void requestsThatAreSentTooLateAreOne() {
    late(20, 100 * MILLI, 9 * MILLI, 0.2);
    late(20, 5 * MILLI, MILLI * 9 / 10, 0.2);
    assertThat(bottleneck.warnings()).as("too little, by itself or by comparison").isEmpty();

    late(5, 100 * MILLI, 12 * MILLI, 0.2);
    assertThat(bottleneck.warnings())
        .singleElement()
        .asString()
        .contains("did not keep to the times", "up to 12.", "in 5 of 45 intervals")
        .endsWith(
            "a load thread used 20 % of a CPU at most, so others took the processors from it");

    late(1, 100 * MILLI, 12 * MILLI, 0.6);
    assertThat(bottleneck.warnings().get(0)).endsWith("try more --threads");
  }

  /** Adds intervals in which two of a hundred requests were sent so late. */
  private void late(int intervals, long responseTime, long lag, double busiest) {
    for (int i = 0; i < intervals; i++) {
      Tally tally = new Tally(1, SECOND);
      for (int sent = 0; sent < 100; sent++) {
        Exchange exchange = new Exchange(0);
        exchange.begin(request, 0, 0);
        exchange.answered(200, responseTime);
        tally.count(exchange);
        tally.sent(sent < 2 ? lag : 0, false, true);
      }
      bottleneck.add(new Interval(0, SECOND, 0, 0, tally, 0, busiest, 100, 0));
    }
  }
}
