package io.poolkeeper.testbed.ntier.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class RequestMeterTest {

  private long now;
  private final Deque<Runnable> queue = new ArrayDeque<>();
  private final RequestMeter meter = new RequestMeter(() -> now);
  private final Executor pool = meter.measure(queue::add);

  private void answerAfter(long nanos, boolean failed) {
    long begun = now;
    now += nanos;
    meter.answered(begun, failed);
  }

  @Test
  void responseTimeBeginsWhenTheHostHandsTheRequestOver() {
    pool.execute(() -> answerAfter(5, false));
    now += 100; // It waits for a thread.
    queue.remove().run();
    assertThat(meter.responseNanos()).isEqualTo(105);
    assertThat(meter.threads().nanos()).isEqualTo(5);
    assertThat(meter.threads().busy()).isZero();
  }

  @Test
  void secondRequestOfATaskBeginsWhenItIsRead() {
    pool.execute(
        () -> {
          answerAfter(5, false);
          now += 50; // Bytes of the next request come in.
          answerAfter(7, true);
        });
    now += 10;
    queue.remove().run();
    assertThat(meter.responseNanos()).isEqualTo(15 + 7);
    assertThat(meter.requests()).isEqualTo(2);
    assertThat(meter.errors()).isEqualTo(1);
  }

  @Test
  void taskWithoutRequestCountsForTheThreadsAlone() {
    pool.execute(() -> now += 3); // The client has closed its connection.
    queue.remove().run();
    pool.execute(() -> answerAfter(4, false));
    queue.remove().run();
    assertThat(meter.requests()).isEqualTo(1);
    assertThat(meter.responseNanos()).isEqualTo(4);
    assertThat(meter.threads().nanos()).isEqualTo(7);
  }

  @Test
  void integralGrowsWhileThreadsAreBusy() {
    Occupancy busy = new Occupancy(() -> now);
    busy.enter();
    now += 10;
    busy.enter();
    now += 20;
    assertThat(busy.read()).isEqualTo(new Occupancy.Reading(2, 10 + 40));
    busy.exit();
    now += 5;
    assertThat(busy.read()).isEqualTo(new Occupancy.Reading(1, 55));
  }
}
