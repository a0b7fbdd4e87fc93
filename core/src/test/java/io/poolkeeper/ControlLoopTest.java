package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.ControlListener.Action;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Turns of a loop in virtual time: modes, bounds, listeners, falls between windows, and jumps. */
final class ControlLoopTest {

  private static final long SECOND = 1_000_000_000;
  private static final long HOUR = 3600 * SECOND;

  private final VirtualLoop time = new VirtualLoop();
  private final PlainPool pool = new PlainPool(2, 8, 20, time.nanoTime());
  private final Recorder recorder = new Recorder();
  private final AtomicInteger asked = new AtomicInteger();

  private ControlLoop.Builder loop(Controller controller) {
    return ControlLoop.tune(pool)
        .controller(
            new Controller() {
              @Override
              public Decision decide(Window window) {
                asked.incrementAndGet();
                return controller.decide(window);
              }

              @Override
              public int relieve(int size, double collecting, double filling) {
                return controller.relieve(size, collecting, filling);
              }
            })
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(time)
        .listener(recorder);
  }

  private void second() {
    time.pass(1000);
    time.close();
  }

  /** Asks for half of the size where the heap fills up, and for what it is told otherwise. */
  private static final class Halving implements Controller {
    private volatile int wanted;

    @Override
    public Decision decide(Window window) {
      return wanted == 0 ? Decision.keep(window, "kept") : Decision.resize(wanted, "asked");
    }

    @Override
    public int relieve(int size, double collecting, double filling) {
      return collecting > 0.5 ? size / 2 : size;
    }
  }

  @ParameterizedTest
  @CsvSource({"2, RESIZED, 2", "20, RESIZED, 20", "1, REFUSED, 8", "21, REFUSED, 8", "8, KEPT, 8"})
  void decisionsHoldTheBounds(int wanted, Action action, int after) {
    loop(window -> Decision.resize(wanted, "asked")).start();
    second();
    assertThat(recorder.lastStep().action()).isEqualTo(action);
    assertThat(recorder.lastStep().after()).isEqualTo(after);
    assertThat(pool.size).isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource({"ACTIVE, 6", "DRY_RUN, 8", "FROZEN, 8"})
  void narrowedBoundsHoldAtOnceInActiveModeAlone(io.poolkeeper.Mode mode, int after) {
    ControlLoop loop = loop(window -> Decision.towards(20, "up")).mode(mode).start();
    loop.bounds(new Bounds(3, 6));
    assertThat(pool.size).isEqualTo(after);
    assertThat(loop.bounds()).isEqualTo(new Bounds(3, 6));
    second();
    assertThat(pool.size).isEqualTo(after);
    assertThat(recorder.bounds).isEqualTo(new Bounds(3, 6));
  }

  @Test
  void fallsInAFullHeapStayAboveNarrowedBounds() {
    ControlLoop loop = loop(new Halving()).start();
    loop.bounds(new Bounds(7, 12));
    loop.filling(0.9, 0);
    assertThat(pool.size).isEqualTo(7);
  }

  @Test
  void exactDecisionsBeyondNarrowedBoundsAreRefused() {
    ControlLoop loop = loop(window -> Decision.resize(20, "up")).start();
    loop.bounds(new Bounds(3, 12));
    second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.REFUSED);
    loop.bounds(new Bounds(2, 20));
    second();
    assertThat(pool.size).isEqualTo(20);
  }

  @ParameterizedTest
  @CsvSource({"1, 6, minimum must be within 2..20", "3, 21, maximum must be within 2..20"})
  void boundsAreWithinThoseOfThePool(int minimum, int maximum, String message) {
    ControlLoop loop = loop(window -> Decision.towards(20, "up")).start();
    assertThatThrownBy(() -> loop.bounds(new Bounds(minimum, maximum)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
    assertThat(loop.bounds()).isEqualTo(new Bounds(2, 20));
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "-7, 2", "21, 20", "19, 19"})
  void boundedDecisionsGoToTheNearestAllowedSize(int wanted, int after) {
    loop(window -> Decision.towards(wanted, "asked")).start();
    second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.RESIZED);
    assertThat(pool.size).isEqualTo(after);
  }

  @Test
  void aDryRunRecordsAndNeverResizes() {
    loop(window -> Decision.resize(9, "nine")).mode(io.poolkeeper.Mode.DRY_RUN).start();
    second();
    second();
    assertThat(recorder.steps)
        .extracting(ControlListener.Step::action)
        .containsExactly(Action.RECORDED, Action.RECORDED);
    assertThat(recorder.lastStep().after()).isEqualTo(8);
    assertThat(pool.resizes).isZero();
  }

  @Test
  void aFrozenLoopMeasuresAndAsksNobody() {
    loop(window -> Decision.resize(9, "nine")).mode(io.poolkeeper.Mode.FROZEN).start();
    second();
    second();
    assertThat(recorder.events).containsExactly("window", "window");
    assertThat(asked).hasValue(0);
    assertThat(pool.resizes).isZero();
  }

  @Test
  void everyWindowIsToldOnceAndBeginsWhereTheOneBeforeEnded() {
    ControlLoop loop = loop(window -> Decision.keep(window, "kept")).start();
    for (int i = 0; i < 5; i++) {
      second();
    }
    time.pass(300);
    loop.close();
    loop.close();
    assertThat(recorder.events)
        .containsExactly(
            "window", "step", "window", "step", "window", "step", "window", "step", "window",
            "step", "window", "close");
    for (int i = 1; i < recorder.windows.size(); i++) {
      assertThat(recorder.windows.get(i).start()).isEqualTo(recorder.windows.get(i - 1).end());
    }
    assertThat(asked).hasValue(5);
  }

  @Test
  void aListenerThatThrowsKeepsNothingFromTheOthersNorFromItself() {
    Recorder throwing =
        new Recorder() {
          @Override
          void heard(String event) {
            super.heard(event);
            throw new AssertionError("thrown by the test");
          }
        };
    ControlLoop loop =
        ControlLoop.tune(pool)
            .controller(window -> Decision.keep(window, "kept"))
            .jmx(false)
            .quiet()
            .ticker(time)
            .timer(time)
            .listener(throwing)
            .listener(time)
            .listener(recorder)
            .start();
    second();
    loop.close();
    assertThat(recorder.events).containsExactly("window", "step", "window", "close");
    assertThat(throwing.events).isEqualTo(recorder.events);
  }

  @Test
  void anInterruptThatAListenerLeavesIsNotSeenByTheNextOne() {
    ControlListener leaving =
        new ControlListener() {
          @Override
          public void onWindow(Resizable resizable, Window window) {
            Thread.currentThread().interrupt();
          }
        };
    ControlLoop.tune(pool)
        .controller(window -> Decision.keep(window, "kept"))
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(leaving)
        .listener(recorder)
        .listener(time)
        .start();
    second();
    boolean unused = Thread.interrupted();
    assertThat(recorder.events).containsExactly("window", "step");
    assertThat(recorder.interrupted()).isFalse();
  }

  @Test
  void aListenerThatJoinsHearsWhatIsLeft() {
    ControlLoop loop = loop(window -> Decision.keep(window, "kept")).start();
    second();
    Recorder late = new Recorder();
    loop.listen(late);
    second();
    loop.close();
    assertThat(late.events).containsExactly("window", "step", "window", "close");
    assertThat(recorder.events).hasSize(6);
  }

  /** Found by a mutant: reported once, a second hang was never told. */
  @Test
  void aHangIsToldOnceForEachTimeThatItHappens() {
    loop(window -> Decision.keep(window, "kept")).hangAfter(Duration.ofSeconds(3)).start();
    pool.queueMax = 5;
    for (int hang = 1; hang <= 3; hang++) {
      pool.completions = 0;
      second();
      second();
      assertThat(recorder.hangs).hasSize(hang - 1);
      second();
      second();
      second();
      assertThat(recorder.hangs).hasSize(hang);
      assertThat(recorder.hangs.get(hang - 1).since()).isEqualTo(Duration.ofSeconds(3));
      pool.completions = 1;
      second();
    }
  }

  @Test
  void noHangWhileNothingWaits() {
    loop(window -> Decision.keep(window, "kept")).hangAfter(Duration.ofSeconds(1)).start();
    pool.completions = 0;
    second();
    second();
    assertThat(recorder.hangs).isEmpty();
  }

  // The heap fills up between windows.

  @Test
  void aFallBetweenWindowsIsToldWithTheNextStep() {
    ControlLoop loop = loop(new Halving()).start();
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(4);
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(2);
    second();
    ControlListener.Step step = recorder.lastStep();
    assertThat(step.action()).isEqualTo(Action.RESIZED);
    assertThat(step.before()).isEqualTo(8);
    assertThat(step.after()).isEqualTo(2);
    assertThat(step.explanation())
        .isEqualTo("fell from 8 to 2 at once as the heap was filling up; kept");
    second();
    assertThat(recorder.lastStep().action()).as("told once").isEqualTo(Action.KEPT);
    assertThat(recorder.lastStep().explanation()).isEqualTo("kept");
  }

  @Test
  void aFallIsToldWhereTheControllerFailsOrGoesBack() {
    Halving halving = new Halving();
    ControlLoop loop = loop(halving).start();
    loop.filling(0.6, 0);
    halving.wanted = 99;
    second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.REFUSED);
    assertThat(recorder.lastStep().before()).isEqualTo(8);
    assertThat(recorder.lastStep().after()).isEqualTo(4);
    loop.filling(0.6, 0);
    halving.wanted = 4;
    second();
    assertThat(pool.size).isEqualTo(4);
    assertThat(recorder.lastStep().explanation()).startsWith("fell from 4 to 2 at once");
  }

  @Test
  void aFallEndsAtTheSmallestSizeAllowed() {
    ControlLoop loop = loop(new Halving()).start();
    pool.resize(3);
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(2);
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(2);
  }

  @Test
  void aLargerSizeIsNoRelief() {
    ControlLoop loop =
        loop(new Controller() {
              @Override
              public Decision decide(Window window) {
                return Decision.keep(window, "kept");
              }

              @Override
              public int relieve(int size, double collecting, double filling) {
                return size + 1;
              }
            })
            .start();
    loop.filling(0.6, 0);
    assertThat(pool.resizes).isZero();
  }

  @ParameterizedTest
  @EnumSource(value = io.poolkeeper.Mode.class, mode = Mode.EXCLUDE, names = "ACTIVE")
  void onlyAnActiveLoopShrinksBetweenWindows(io.poolkeeper.Mode mode) {
    ControlLoop loop = loop(new Halving()).mode(mode).start();
    loop.filling(0.6, 0);
    assertThat(pool.resizes).isZero();
  }

  @Test
  void noFallAfterTheEnd() {
    ControlLoop loop = loop(new Halving()).start();
    loop.close();
    loop.filling(0.6, 0);
    assertThat(pool.resizes).isZero();
  }

  @Test
  void aPoolThatThrowsBetweenWindowsHarmsNobody() {
    ControlLoop loop =
        loop(new Controller() {
              @Override
              public Decision decide(Window window) {
                return Decision.keep(window, "kept");
              }

              @Override
              public int relieve(int size, double collecting, double filling) {
                throw new OutOfMemoryError("thrown by the test");
              }
            })
            .start();
    loop.filling(0.6, 0);
    second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.KEPT);
  }

  /** A full heap has no room for an object, and to wait for one takes seconds. */
  @Test
  void aFallAllocatesNothing() {
    ControlLoop loop = loop(new Halving()).start();
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) { // Compilation may allocate in the first ones.
      long before = threads.getThreadAllocatedBytes(self);
      for (int i = 0; i < 1000; i++) {
        pool.size = 16;
        loop.filling(0.6, 0);
        loop.filling(0, 0);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(self) - before);
    }
    assertThat(pool.size).isEqualTo(8);
    assertThat(least).as("bytes of 2000 calls").isZero();
  }

  // The clock jumps, or the process stands still.

  @Test
  void aProcessThatStoodStillDecidesNothingAndGoesOnAtOnce() {
    loop(window -> Decision.resize(window.seconds() > 5 ? 2 : 9, "by length")).start();
    second();
    time.pass(3 * 3600 * 1000);
    time.close();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.FAILED);
    assertThat(recorder.lastStep().explanation()).contains("stood still");
    assertThat(pool.size).isEqualTo(9);
    assertThat(asked).hasValue(1);
    pool.resize(8);
    second();
    assertThat(asked).hasValue(2);
    assertThat(pool.size).isEqualTo(9);
  }

  @Test
  void longWindowsInARowAreDecidedOn() {
    loop(window -> Decision.resize(window.size() + 1, "more")).start();
    second();
    for (int i = 0; i < 3; i++) {
      time.pass(60_000);
      time.close();
    }
    assertThat(asked).as("all but the first long one").hasValue(3);
  }

  /** While the heap is full every window is late, and that is when decisions count. */
  @Test
  void aWindowOfGarbageCollectionIsDecidedOn() {
    loop(window -> Decision.resize(2, "less")).start();
    second();
    pool.resize(8);
    pool.gc = 19 * SECOND;
    time.pass(20_000);
    time.close();
    assertThat(asked).hasValue(2);
    assertThat(pool.size).isEqualTo(2);
  }

  @Test
  void aStandstillIsNoHang() {
    loop(window -> Decision.keep(window, "kept")).hangAfter(Duration.ofSeconds(10)).start();
    pool.queueMax = 5;
    second();
    pool.completions = 0;
    second();
    time.pass(2 * 3600 * 1000);
    time.close();
    for (int i = 0; i < 9; i++) {
      second();
    }
    assertThat(recorder.hangs).isEmpty();
    second();
    assertThat(recorder.hangs).hasSize(1);
    assertThat(recorder.hangs.get(0).since()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aClockThatGoesBackGivesNoNegativeWindow() {
    ControlLoop loop = loop(window -> Decision.keep(window, "kept")).start();
    second();
    time.jump(-HOUR);
    second();
    second();
    second();
    loop.close();
    for (Window window : recorder.windows) {
      assertThat(window.end() - window.start()).isNotNegative();
    }
    assertThat(recorder.windows.get(2).seconds()).isEqualTo(1);
    assertThat(recorder.windows.get(3).seconds()).isEqualTo(1);
    assertThat(asked).hasValue(4);
  }

  @Test
  void aSensorWhoseClockGoesBackCostsOneWindow() {
    PlainPool early = new PlainPool(2, 8, 20, time.nanoTime() + HOUR);
    ControlLoop.tune(early)
        .controller(window -> Decision.resize(9, "nine"))
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(time)
        .listener(recorder)
        .start();
    time.pass(1000);
    time.tick();
    assertThat(recorder.events).isEmpty();
    assertThat(early.size).isEqualTo(8);
    second();
    assertThat(recorder.events).containsExactly("window", "step");
    assertThat(early.size).isEqualTo(9);
  }

  /** Such as one that ends its pool because of what it has heard. */
  @Test
  void whereAListenerClosesTheLoopTheControllerIsNotAsked() {
    ControlLoop[] made = new ControlLoop[1];
    made[0] =
        loop(window -> Decision.resize(9, "nine"))
            .listener(
                new ControlListener() {
                  @Override
                  public void onWindow(Resizable resizable, Window window) {
                    made[0].close();
                  }
                })
            .start();
    second();
    assertThat(asked).hasValue(0);
    assertThat(recorder.events).containsExactly("window", "window", "close");
  }

  @Test
  void aTickAfterTheEndClosesNoWindow() {
    ControlLoop loop = loop(window -> Decision.resize(9, "nine")).start();
    second();
    loop.close();
    Window last = loop.lastWindow().orElseThrow();
    time.pass(1000);
    time.tick();
    assertThat(loop.lastWindow()).containsSame(last);
    assertThat(asked).hasValue(1);
  }
}
