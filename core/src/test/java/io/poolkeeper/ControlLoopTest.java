package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlListener.Action;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Turns of a loop in virtual time: modes, listeners, and jumps of the clock. */
final class ControlLoopTest {

  private static final long SECOND = 1_000_000_000;
  private static final long HOUR = 3600 * SECOND;

  private final VirtualLoop time = new VirtualLoop();
  private final PlainPool pool = new PlainPool(2, 8, 20, time.nanoTime());
  private final Recorder recorder = new Recorder();
  private final AtomicInteger asked = new AtomicInteger();

  private ControlLoop.Builder loop(Controller controller) {
    Controller counting =
        window -> {
          asked.incrementAndGet();
          return controller.decide(window);
        };
    return time.tune(pool, counting).listener(recorder);
  }

  @Test
  void aDryRunRecordsAndNeverResizes() {
    loop(window -> Decision.resize(9, "nine")).mode(Mode.DRY_RUN).start();
    time.second();
    time.second();
    assertThat(recorder.steps)
        .extracting(ControlListener.Step::action)
        .containsExactly(Action.RECORDED, Action.RECORDED);
    assertThat(recorder.lastStep().after()).isEqualTo(8);
    assertThat(pool.resizes).isZero();
  }

  @Test
  void aFrozenLoopMeasuresAndAsksNobody() {
    loop(window -> Decision.resize(9, "nine")).mode(Mode.FROZEN).start();
    time.second();
    time.second();
    assertThat(recorder.events).containsExactly("window", "window");
    assertThat(asked).hasValue(0);
    assertThat(pool.resizes).isZero();
  }

  /** Else a size that was set by hand at that moment would be lost. */
  @Test
  void aLoopThatIsFrozenWhileItsControllerDecidesKeepsTheSize() {
    ControlLoop[] frozen = new ControlLoop[1];
    frozen[0] =
        loop(window -> {
              frozen[0].mode(Mode.FROZEN);
              return Decision.resize(9, "nine");
            })
            .start();
    time.second();
    assertThat(pool.resizes).isZero();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.KEPT);
    assertThat(recorder.lastStep().explanation())
        .isEqualTo("nine (not applied: the loop is no longer active)");
  }

  @Test
  void everyWindowIsToldOnceAndBeginsWhereTheOneBeforeEnded() {
    ControlLoop loop = loop(window -> Decision.keep(window, "kept")).start();
    for (int i = 0; i < 5; i++) {
      time.second();
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
    time.second();
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
    time.second();
    boolean unused = Thread.interrupted();
    assertThat(recorder.events).containsExactly("window", "step");
    assertThat(recorder.interrupted()).isFalse();
  }

  @Test
  void aListenerThatJoinsHearsWhatIsLeft() {
    ControlLoop loop = loop(window -> Decision.keep(window, "kept")).start();
    time.second();
    Recorder late = new Recorder();
    loop.listen(late);
    time.second();
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
      time.second();
      time.second();
      assertThat(recorder.hangs).hasSize(hang - 1);
      time.second();
      time.second();
      time.second();
      assertThat(recorder.hangs).hasSize(hang);
      assertThat(recorder.hangs.get(hang - 1).since()).isEqualTo(Duration.ofSeconds(3));
      pool.completions = 1;
      time.second();
    }
  }

  @Test
  void noHangWhileNothingWaits() {
    loop(window -> Decision.keep(window, "kept")).hangAfter(Duration.ofSeconds(1)).start();
    pool.completions = 0;
    time.second();
    time.second();
    assertThat(recorder.hangs).isEmpty();
  }

  // The heap fills up between windows.

  // The clock jumps, or the process stands still.
  @Test
  void aProcessThatStoodStillDecidesNothingAndGoesOnAtOnce() {
    loop(window -> Decision.resize(window.seconds() > 5 ? 2 : 9, "by length")).start();
    time.second();
    time.pass(3 * 3600 * 1000);
    time.close();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.FAILED);
    assertThat(recorder.lastStep().explanation()).contains("stood still");
    assertThat(pool.size).isEqualTo(9);
    assertThat(asked).hasValue(1);
    pool.resize(8);
    time.second();
    assertThat(asked).hasValue(2);
    assertThat(pool.size).isEqualTo(9);
  }

  @Test
  void longWindowsInARowAreDecidedOn() {
    loop(window -> Decision.resize(window.size() + 1, "more")).start();
    time.second();
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
    time.second();
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
    time.second();
    pool.completions = 0;
    time.second();
    time.pass(2 * 3600 * 1000);
    time.close();
    for (int i = 0; i < 9; i++) {
      time.second();
    }
    assertThat(recorder.hangs).isEmpty();
    time.second();
    assertThat(recorder.hangs).hasSize(1);
    assertThat(recorder.hangs.get(0).since()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aClockThatGoesBackGivesNoNegativeWindow() {
    ControlLoop loop = loop(window -> Decision.keep(window, "kept")).start();
    time.second();
    time.jump(-HOUR);
    time.second();
    time.second();
    time.second();
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
    time.second();
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
    time.second();
    assertThat(asked).hasValue(0);
    assertThat(recorder.events).containsExactly("window", "window", "close");
  }

  @Test
  void aTickAfterTheEndClosesNoWindow() {
    ControlLoop loop = loop(window -> Decision.resize(9, "nine")).start();
    time.second();
    loop.close();
    Window last = loop.lastWindow().orElseThrow();
    time.pass(1000);
    time.tick();
    assertThat(loop.lastWindow()).containsSame(last);
    assertThat(asked).hasValue(1);
  }
}
