package io.tidepool.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.spi.LoopTimer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ThreadTimerTest {

  @Test
  void aCallInTimeIsFollowedByTheNextOfTheGrid() {
    assertThat(ThreadTimer.following(1000, 100, 1003)).isEqualTo(1100);
  }

  /**
   * Found so: after a pause of five intervals came a window of some microseconds, so an idle one.
   */
  @Test
  void aLateCallIsNotFollowedByAnotherAtOnce() {
    assertThat(ThreadTimer.following(1000, 100, 1501)).isEqualTo(1600);
    assertThat(ThreadTimer.following(1000, 100, 1598)).isEqualTo(1700);
  }

  @Property
  void theNextCallIsOnTheGridAndBetweenHalfAndOneAndAHalfIntervalsAway(
      @ForAll @LongRange(min = 1, max = 1_000_000) long halfInterval,
      @ForAll @LongRange(min = 0, max = 1_000_000_000) long late) {
    long interval = 2 * halfInterval;
    long due = 5_000;
    long next = ThreadTimer.following(due, interval, due + late);
    assertThat((next - due) % interval).isZero();
    assertThat(next - (due + late)).isBetween(halfInterval, 3 * halfInterval);
  }

  @Test
  @Timeout(30)
  void callsAgainAndAgainOnADaemonThreadUntilItIsStopped() throws Exception {
    CountDownLatch calls = new CountDownLatch(3);
    AtomicReference<Thread> caller = new AtomicReference<>();
    LoopTimer.Stop stop =
        new ThreadTimer()
            .start(
                "timed",
                Duration.ofMillis(1),
                () -> {
                  caller.set(Thread.currentThread());
                  Thread.currentThread().interrupt(); // Must not make the wait a busy one.
                  calls.countDown();
                });
    assertThat(calls.await(10, TimeUnit.SECONDS)).isTrue();
    stop.stop();
    stop.stop();
    Thread thread = Objects.requireNonNull(caller.get());
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).isEqualTo("tidepool-timed");
    thread.join(10_000);
    assertThat(thread.isAlive()).isFalse();
  }
}
