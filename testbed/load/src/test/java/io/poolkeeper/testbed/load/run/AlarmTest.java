package io.poolkeeper.testbed.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AlarmTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Semaphore woken = new Semaphore(0);

  @Test
  void wakesAtTheTimeThatWasSetLast() throws InterruptedException {
    try (Alarm alarm = new Alarm("alarm-test", woken::release)) {
      alarm.start();
      for (int i = 0; i < 20; i++) {
        long due = System.nanoTime() + MILLI;
        alarm.set(due + TimeUnit.HOURS.toNanos(1));
        alarm.set(due);

        assertThat(woken.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime()).isGreaterThanOrEqualTo(due);
        assertThat(woken.drainPermits()).as("once for each time").isZero();
      }
    }
  }

  @Test
  void aTimeThatHasPassedWakesAtOnce() throws InterruptedException {
    try (Alarm alarm = new Alarm("alarm-test", woken::release)) {
      alarm.set(System.nanoTime() - 1);
      alarm.start();

      assertThat(woken.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
    }
  }
}
