package io.poolkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.spi.Ticker;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MonotonicTickerTest {

  private final AtomicLong time = new AtomicLong(-50);
  private final Ticker ticker = MonotonicTicker.of(time::get);

  @Test
  void readsWhatTheClockReadsUntilThatGoesBackAndThenCountsOn() {
    assertThat(ticker.nanoTime()).isEqualTo(-50);
    time.set(100);
    assertThat(ticker.nanoTime()).isEqualTo(100);
    time.set(20);
    assertThat(ticker.nanoTime()).isEqualTo(100);
    time.set(25);
    assertThat(ticker.nanoTime()).isEqualTo(105);
    time.set(-1000);
    assertThat(ticker.nanoTime()).isEqualTo(105);
    time.set(-900);
    assertThat(ticker.nanoTime()).isEqualTo(205);
  }

  @Test
  void goesOnOverTheEndOfTheNumbers() {
    time.set(Long.MAX_VALUE - 1);
    Ticker late = MonotonicTicker.of(time::get);
    assertThat(late.nanoTime()).isEqualTo(Long.MAX_VALUE - 1);
    time.addAndGet(5);
    assertThat(late.nanoTime()).isEqualTo(Long.MIN_VALUE + 3);
  }

  @Test
  void leavesTheClockOfTheMachineAlone() {
    assertThat(MonotonicTicker.of(Ticker.system())).isSameAs(Ticker.system());
    assertThat(MonotonicTicker.of(ticker)).isSameAs(ticker);
  }
}
