package io.poolkeeper.internal.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Window;
import io.poolkeeper.spi.LoopTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

final class HeapWatchTest {

  private static final long MILLIS = 1_000_000;
  private static final long MEGABYTES = 1 << 20;

  private long now;
  private long collected;
  private long used;
  private Runnable check = () -> {};
  private LongSupplier interval = () -> 0;
  private int started;
  private int stopped;

  private final Heap heap =
      new Heap() {
        @Override
        public long used() {
          return used;
        }

        @Override
        public long most() {
          return 1000 * MEGABYTES;
        }
      };

  private final HeapWatch watch = new HeapWatch(this::start, () -> now, () -> collected, heap);

  private LoopTimer.Stop start(LongSupplier nanos, Runnable tick) {
    interval = nanos;
    check = tick;
    started++;
    return () -> stopped++;
  }

  /** A check after 100 ms, of which so many were spent in collection. */
  private void check(long collecting) {
    now += 100 * MILLIS;
    collected += collecting * MILLIS;
    check.run();
  }

  @Test
  void tellsOfTheTimeOfTwoLooks() {
    used = 900 * MEGABYTES;
    List<String> heard = new ArrayList<>();
    watch.add((collecting, filling) -> heard.add(collecting + " " + filling));
    check(10);
    check(20);
    assertThat(heard).isEmpty();
    check(70);
    assertThat(heard).containsExactly("0.45 0.0");
    check(0);
    assertThat(heard).containsExactly("0.45 0.0", "0.35 0.0");
    check(0);
    assertThat(heard).hasSize(2);
  }

  /** A young service on a busy machine: half of the time in collection, 36 of 256 MB in use. */
  @Test
  void collectionsOfARoomyHeapRaiseNoAlarm() {
    List<String> heard = new ArrayList<>();
    watch.add((collecting, filling) -> heard.add(collecting + " " + filling));
    used = 140 * MEGABYTES;
    check(50);
    check(50);
    check(50);
    assertThat(heard).isEmpty();
    used = 510 * MEGABYTES;
    check(50);
    assertThat(heard).containsExactly("0.5 0.0");
    used = 200 * MEGABYTES;
    check(50);
    assertThat(heard).as("it may just have been collected").hasSize(2);
    check(50);
    assertThat(heard).hasSize(2);
  }

  @Test
  void oneTimerServesAllLoopsAndEndsWithTheLast() {
    used = 900 * MEGABYTES;
    List<String> heard = new ArrayList<>();
    LoopTimer.Stop first = watch.add((collecting, filling) -> heard.add("first"));
    LoopTimer.Stop second = watch.add((collecting, filling) -> heard.add("second"));
    check(0);
    check(90);
    first.stop();
    check(90);
    assertThat(heard).containsExactly("first", "second", "second");
    assertThat(started).isOne();
    assertThat(stopped).isZero();
    second.stop();
    second.stop();
    assertThat(stopped).isOne();
    watch.add((collecting, filling) -> heard.add("third"));
    assertThat(started).isEqualTo(2);
  }

  /** A controller that blocks must not keep the looks from all other loops. */
  @Test
  void looksAnewWhereAnAlarmHangs() {
    used = 900 * MEGABYTES;
    List<String> heard = new ArrayList<>();
    Runnable[] hanging = {() -> {}};
    watch.add((collecting, filling) -> hanging[0].run());
    watch.add((collecting, filling) -> heard.add("other"));
    hanging[0] =
        () -> {
          hanging[0] = () -> {};
          now += 2000 * MILLIS;
          watch.keepChecking(null);
          assertThat(started).as("not that long").isOne();
          now += 1;
          watch.keepChecking(null);
          watch.keepChecking(null);
          assertThat(started).isEqualTo(2);
          assertThat(stopped).isOne();
          now -= 2000 * MILLIS + 1;
          check(80);
        };
    check(90);
    assertThat(heard).as("by the new looks and by the one that hung").hasSize(2);
    check(90);
    watch.keepChecking(null);
    assertThat(started).isEqualTo(2);
  }

  @Test
  void aClockThatStandsOrGoesBackRaisesNoAlarm() {
    used = 900 * MEGABYTES;
    List<String> heard = new ArrayList<>();
    watch.add((collecting, filling) -> heard.add(collecting + ""));
    check.run();
    now -= 3_600_000 * MILLIS;
    check.run();
    check.run();
    check(0);
    check(0);
    assertThat(heard).isEmpty();
    check(0);
    check(90);
    assertThat(heard).hasSize(1);
  }

  /** To wake a thread twenty times a second cost idle pools 0.2 % of a core. */
  @Test
  void looksAreRareWhileNothingIsCollected() {
    watch.add((collecting, filling) -> {});
    assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
    now += 1000 * MILLIS;
    check(0);
    assertThat(interval.getAsLong()).isEqualTo(250 * MILLIS);
    check(1);
    assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
    for (int i = 0; i < 10; i++) {
      assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
      check(0);
    }
    assertThat(interval.getAsLong()).isEqualTo(250 * MILLIS);
    allocate(1);
    assertThat(interval.getAsLong()).as("1 % of the heap a second").isEqualTo(250 * MILLIS);
    allocate(3);
    assertThat(interval.getAsLong()).as("3 %").isEqualTo(50 * MILLIS);
  }

  /** Two hundred calls that allocate nothing may give way to tasks that fill the heap. */
  @Test
  void looksAreFrequentWhileManyTasksRun() {
    int processors = Runtime.getRuntime().availableProcessors();
    watch.add((collecting, filling) -> {});
    now += 1000 * MILLIS;
    watch.keepChecking(window(16 * processors, 500));
    assertThat(interval.getAsLong()).as("as many as are usual").isEqualTo(250 * MILLIS);
    watch.keepChecking(window(16 * processors + 1, 500));
    now += 999 * MILLIS;
    assertThat(interval.getAsLong()).isEqualTo(50 * MILLIS);
    now += 1 * MILLIS;
    assertThat(interval.getAsLong()).isEqualTo(250 * MILLIS);
    watch.keepChecking(window(200, 10_000));
    watch.keepChecking(window(200, 500));
    now += 19_999 * MILLIS;
    assertThat(interval.getAsLong()).as("until the end of a long window").isEqualTo(50 * MILLIS);
    now += 1 * MILLIS;
    assertThat(interval.getAsLong()).isEqualTo(250 * MILLIS);
  }

  private static Window window(double busy, long millis) {
    return Window.builder(0, millis * MILLIS, 300).busy(busy).build();
  }

  /** A check after 100 ms, in which so many megabytes were allocated. */
  private void allocate(long megabytes) {
    used += megabytes * MEGABYTES;
    check(0);
  }

  /** Two hundred tasks that hold much fill the heap before it is collected for the first time. */
  @Test
  void tellsOfAHeapThatFillsUpAtASuddenRate() {
    List<String> heard = new ArrayList<>();
    watch.add((collecting, filling) -> heard.add(collecting + " " + filling));
    for (int i = 0; i < 60; i++) {
      allocate(1);
    }
    used = 0;
    check(0);
    allocate(80);
    assertThat(heard).as("80 MB in 100 ms, and 920 MB are left").isEmpty();
    allocate(120);
    assertThat(heard).as("1200 MB in a second, and 800 MB are left").containsExactly("0.0 1.5");
  }

  @Test
  void aHeapThatAlwaysFillsUpAsFastIsInNoDanger() {
    List<String> heard = new ArrayList<>();
    watch.add((collecting, filling) -> heard.add(collecting + " " + filling));
    for (int i = 0; i < 100; i++) {
      allocate(150);
      if (used > 600 * MEGABYTES) {
        used = 0;
        check(1);
      }
    }
    assertThat(heard).isEmpty();
  }

  @Test
  void aStartIsNoSuddenRate() {
    List<String> heard = new ArrayList<>();
    watch.add((collecting, filling) -> heard.add(collecting + " " + filling));
    for (int i = 0; i < 4; i++) {
      allocate(200);
    }
    assertThat(heard).isEmpty();
  }
}
