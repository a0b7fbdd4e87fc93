package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VirtualClockTest {

  private final VirtualClock clock = new VirtualClock();
  private final List<String> calls = new ArrayList<>();

  private LoopTimer.Stop start(String name, long nanos) {
    return clock.start(
        name, Duration.ofNanos(nanos), () -> calls.add(name + "@" + clock.nanoTime()));
  }

  @Test
  void makesCallsInTheOrderOfTheirTimesAndThenOfTheirStart() {
    start("b", 3);
    start("a", 2);
    clock.advance(Duration.ofNanos(6));
    assertThat(calls).containsExactly("a@2", "b@3", "a@4", "b@6", "a@6");
    assertThat(clock.nanoTime()).isEqualTo(6);
  }

  @Test
  void twoShortWaysAreOneLongWay() {
    start("a", 3);
    clock.advance(Duration.ofNanos(2));
    assertThat(calls).isEmpty();
    clock.advance(Duration.ofNanos(2));
    assertThat(calls).containsExactly("a@3");
  }

  @Test
  void aStoppedTimerIsSilentEvenIfItsOwnCallStopsIt() {
    LoopTimer.Stop first = start("a", 2);
    List<LoopTimer.Stop> second = new ArrayList<>();
    second.add(
        clock.start(
            "once",
            Duration.ofNanos(2),
            () -> {
              calls.add("once");
              second.get(0).stop();
            }));
    clock.advance(Duration.ofNanos(2));
    first.stop();
    first.stop();
    clock.advance(Duration.ofNanos(10));
    assertThat(calls).containsExactly("a@2", "once");
    assertThat(clock.timers()).isZero();
  }

  @Test
  void aReadingMayOverflow() {
    VirtualClock late = new VirtualClock(Long.MAX_VALUE - 1);
    late.start("a", Duration.ofNanos(3), () -> calls.add("late"));
    late.advance(Duration.ofNanos(3));
    assertThat(late.nanoTime()).isEqualTo(Long.MIN_VALUE + 1);
    assertThat(calls).containsExactly("late");
  }

  @Test
  void timeDoesNotGoBack() {
    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-0.000000001S");
  }
}
