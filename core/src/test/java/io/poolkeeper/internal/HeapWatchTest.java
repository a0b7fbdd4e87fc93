package io.poolkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.spi.LoopTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

final class HeapWatchTest {

  private static final long MILLIS = 1_000_000;

  private long now;
  private long collected;
  private Runnable look = () -> {};
  private LongSupplier interval = () -> 0;
  private int started;
  private int stopped;

  private final HeapWatch watch = new HeapWatch(this::start, () -> now, () -> collected);

  private LoopTimer.Stop start(String name, LongSupplier nanos, Runnable tick) {
    interval = nanos;
    look = tick;
    started++;
    return () -> stopped++;
  }

  /** A look after 100 ms, of which so many were spent in collection. */
  private void look(long collecting) {
    now += 100 * MILLIS;
    collected += collecting * MILLIS;
    look.run();
  }

  @Test
  void tellsOfTheTimeOfTwoLooks() {
    List<String> heard = new ArrayList<>();
    watch.add((nanos, collecting) -> heard.add(nanos / MILLIS + " " + collecting / MILLIS));
    look(10);
    look(20);
    assertThat(heard).isEmpty();
    look(70);
    assertThat(heard).containsExactly("200 90");
    look(0);
    assertThat(heard).containsExactly("200 90", "200 70");
    look(0);
    assertThat(heard).hasSize(2);
  }

  @Test
  void oneTimerServesAllLoopsAndEndsWithTheLast() {
    List<String> heard = new ArrayList<>();
    LoopTimer.Stop first = watch.add((nanos, collecting) -> heard.add("first"));
    LoopTimer.Stop second = watch.add((nanos, collecting) -> heard.add("second"));
    look(0);
    look(90);
    first.stop();
    look(90);
    assertThat(heard).containsExactly("first", "second", "second");
    assertThat(started).isOne();
    assertThat(stopped).isZero();
    second.stop();
    second.stop();
    assertThat(stopped).isOne();
    watch.add((nanos, collecting) -> heard.add("third"));
    assertThat(started).isEqualTo(2);
  }

  /** A controller that blocks must not keep the looks from all other loops. */
  @Test
  void looksAnewWhereAnAlarmHangs() {
    List<String> heard = new ArrayList<>();
    Runnable[] hanging = {() -> {}};
    watch.add((nanos, collecting) -> hanging[0].run());
    watch.add((nanos, collecting) -> heard.add("other"));
    hanging[0] =
        () -> {
          hanging[0] = () -> {};
          now += 2000 * MILLIS;
          watch.keepLooking();
          assertThat(started).as("not that long").isOne();
          now += 1;
          watch.keepLooking();
          watch.keepLooking();
          assertThat(started).isEqualTo(2);
          assertThat(stopped).isOne();
          now -= 2000 * MILLIS + 1;
          look(80);
        };
    look(90);
    assertThat(heard).as("by the new looks and by the one that hung").hasSize(2);
    look(90);
    watch.keepLooking();
    assertThat(started).isEqualTo(2);
  }

  @Test
  void aClockThatStandsOrGoesBackRaisesNoAlarm() {
    List<String> heard = new ArrayList<>();
    watch.add((nanos, collecting) -> heard.add(nanos + ""));
    look.run();
    now -= 3_600_000 * MILLIS;
    look.run();
    look.run();
    look(0);
    look(0);
    assertThat(heard).isEmpty();
    look(0);
    look(90);
    assertThat(heard).hasSize(1);
  }

  /** To wake a thread twenty times a second cost idle pools 0.2 % of a core. */
  @Test
  void looksAreRareWhileNothingIsCollected() {
    watch.add((nanos, collecting) -> {});
    assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
    now += 1000 * MILLIS;
    look(0);
    assertThat(interval.getAsLong()).isEqualTo(250 * MILLIS);
    look(1);
    assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
    for (int i = 0; i < 10; i++) {
      assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
      look(0);
    }
    assertThat(interval.getAsLong()).isEqualTo(250 * MILLIS);
  }
}
