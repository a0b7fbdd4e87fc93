package io.tidepool.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.Objective;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which tasks are timed, in virtual time. */
final class PoolMeterTest {

  private final AtomicLong now = new AtomicLong(1_000_000);

  /** Tasks out of {@code tasks} that are timed, of a stream that one worker runs. */
  private int timed(PoolMeter meter, int tasks, long nanosBetween) {
    int timed = 0;
    for (int i = 0; i < tasks; i++) {
      long arrival = meter.arrival();
      long end = now.addAndGet(nanosBetween);
      if (arrival != PoolMeter.UNTIMED) {
        meter.ended(arrival, arrival, end, false, 0);
        timed++;
      }
    }
    return timed;
  }

  @Test
  void everyTaskOfAServiceIsTimed() {
    PoolMeter meter = new PoolMeter(now::get, Objective.throughput());
    assertThat(timed(meter, 10_000, 10_000)).isEqualTo(10_000);
  }

  @Test
  void aBurstIsSampledFromItsFirstThousandTasksOn() {
    PoolMeter meter = new PoolMeter(now::get, Objective.throughput());
    timed(meter, 10_000, 50);
    // At 20 million a second one in 64 leaves 312 thousand timed, one in 32 too many.
    assertThat(timed(meter, 64_000, 50)).isBetween(500, 3_000);
  }

  @Test
  void timingComesBackWhenTheStreamSlowsDown() {
    PoolMeter meter = new PoolMeter(now::get, Objective.throughput());
    timed(meter, 10_000, 50);
    timed(meter, 20_000, 10_000);
    assertThat(timed(meter, 10_000, 10_000)).isEqualTo(10_000);
  }

  @Test
  void whatIsCountedByItsTimeIsTimed() {
    PoolMeter meter = new PoolMeter(now::get, Objective.goodput(Duration.ofMillis(1)));
    assertThat(timed(meter, 10_000, 50)).isEqualTo(10_000);
  }
}
