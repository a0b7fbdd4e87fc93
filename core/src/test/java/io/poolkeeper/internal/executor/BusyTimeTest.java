package io.poolkeeper.internal.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

final class BusyTimeTest {

  /** Steps are idle time, busy time, idle time and so on; the oracle adds up the busy ones. */
  @Property
  void isTheSumOfTheTimesInTasksAtEveryMoment(
      @ForAll @LongRange(min = -(1L << 60), max = 1L << 60) long origin,
      @ForAll @Size(max = 40) List<@LongRange(min = 0, max = 1L << 40) Long> steps) {
    BusyTime time = new BusyTime();
    long now = origin;
    long spent = 0;
    boolean busy = false;
    for (long step : steps) {
      long middle = now + step / 2;
      assertThat(time.until(middle)).isEqualTo(busy ? spent + step / 2 : spent);
      now += step;
      spent += busy ? step : 0;
      assertThat(time.until(now)).isEqualTo(spent);
      if (busy) {
        time.ended(now);
      } else {
        time.started(now);
      }
      busy = !busy;
      assertThat(time.busy()).isEqualTo(busy);
      assertThat(time.until(now)).isEqualTo(spent);
    }
  }

  @Example
  void aNewWorkerHasSpentNothing() {
    assertThat(new BusyTime().until(123)).isZero();
    assertThat(new BusyTime().busy()).isFalse();
  }
}
