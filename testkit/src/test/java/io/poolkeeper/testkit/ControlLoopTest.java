package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Hang;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ControlLoopTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualClock clock = new VirtualClock();
  private final VirtualPool pool = new VirtualPool("pool", new Bounds(2, 20), 4, n -> 100.0 * n);
  private final Recorder recorder = new Recorder();

  private static final class Recorder implements ControlListener {
    private final List<Window> windows = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<Hang> hangs = new ArrayList<>();
    private int closes;

    @Override
    public void onWindow(Resizable resizable, Window window) {
      windows.add(window);
    }

    @Override
    public void onStep(Resizable resizable, Step step) {
      steps.add(step);
    }

    @Override
    public void onHang(Resizable resizable, Hang hang) {
      hangs.add(hang);
    }

    @Override
    public void onClose(Resizable resizable) {
      closes++;
    }

    Step last() {
      return steps.get(steps.size() - 1);
    }
  }

  private ControlLoop.Builder describe(Resizable resizable, Sensor sensor, Controller controller) {
    return ControlLoop.tune(resizable, sensor)
        .controller(controller)
        .window(SECOND)
        .ticker(clock)
        .timer(clock)
        .jmx(false);
  }

  private ControlLoop start(Controller controller) {
    return describe(pool, pool, controller).listener(recorder).start();
  }

  @Test
  void activeResizesOnceAWindow() {
    ControlLoop loop = start(w -> Decision.resize(w.size() + 1, "one more"));
    clock.advance(Duration.ofMillis(999));
    assertThat(recorder.windows).isEmpty();
    assertThat(loop.lastWindow()).isEmpty();
    clock.advance(Duration.ofMillis(2001));
    assertThat(pool.size()).isEqualTo(7);
    assertThat(recorder.windows).extracting(Window::size).containsExactly(4, 5, 6);
    assertThat(recorder.windows).extracting(Window::seconds).containsExactly(1.0, 1.0, 1.0);
    assertThat(recorder.last().action()).isEqualTo(Action.RESIZED);
    assertThat(recorder.last().before()).isEqualTo(6);
    assertThat(recorder.last().after()).isEqualTo(7);
    assertThat(recorder.last().explanation()).isEqualTo("one more");
    assertThat(loop.lastStep()).contains(recorder.last());
  }

  @Test
  void dryRunDecidesAndDoesNotResize() {
    ControlLoop loop =
        describe(pool, pool, w -> Decision.resize(9, "nine"))
            .mode(Mode.DRY_RUN)
            .listener(recorder)
            .start();
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(4);
    assertThat(recorder.last().action()).isEqualTo(Action.RECORDED);
    assertThat(recorder.last().after()).isEqualTo(4);
    assertThat(recorder.last().mode()).isEqualTo(Mode.DRY_RUN);
    assertThat(Optional.ofNullable(recorder.last().decision()).map(Decision::size)).contains(9);
    loop.mode(Mode.ACTIVE);
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(9);
  }

  @Test
  void frozenMeasuresAndDoesNotAsk() {
    ControlLoop loop = start(w -> Decision.resize(9, "nine"));
    loop.mode(Mode.FROZEN);
    clock.advance(SECOND.multipliedBy(3));
    assertThat(recorder.windows).hasSize(3);
    assertThat(recorder.steps).isEmpty();
    assertThat(pool.size()).isEqualTo(4);
  }

  @Test
  void aSizeInForceIsKept() {
    start(w -> Decision.keep(w, "as it is"));
    clock.advance(SECOND);
    assertThat(recorder.last().action()).isEqualTo(Action.KEPT);
  }

  @Test
  void aSizeOutOfBoundsIsRefusedUnlessTheNearestWillDo() {
    start(w -> w.start() == 0 ? Decision.resize(21, "more") : Decision.towards(21, "more"));
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(4);
    assertThat(recorder.last().action()).isEqualTo(Action.REFUSED);
    assertThat(recorder.last().explanation())
        .isEqualTo("21 is outside 2..20, the size stays; reason of the controller: more");
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(20);
    assertThat(recorder.last().explanation()).isEqualTo("more (asked for 21, the bound is 20)");
  }

  @Test
  void aControllerThatThrowsIsAskedAgain() {
    start(
        w -> {
          if (w.start() == 0) {
            throw new StackOverflowError("too deep");
          }
          return Decision.resize(5, "recovered");
        });
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(4);
    assertThat(recorder.last().action()).isEqualTo(Action.FAILED);
    assertThat(recorder.last().decision()).isNull();
    assertThat(recorder.last().explanation())
        .isEqualTo("the controller threw java.lang.StackOverflowError: too deep");
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(5);
  }

  @Test
  void anAnswerOfNullIsAFailure() {
    start(w -> nothing());
    clock.advance(SECOND);
    assertThat(recorder.last().explanation()).isEqualTo("the controller returned null");
    assertThat(pool.size()).isEqualTo(4);
  }

  @Test
  @SuppressWarnings("NullAway") // As above.
  void aReasonOrANumberOfNullIsAFailure() {
    Map<String, Double> numbers = new HashMap<>();
    numbers.put("gain", null);
    for (Controller nonsense :
        List.<Controller>of(
            w -> Decision.towards(5, null),
            w -> Decision.towards(5, "").because(null),
            w -> Decision.towards(5, "").because(numbers))) {
      start(nonsense);
      clock.advance(SECOND);
      assertThat(recorder.last().action()).isEqualTo(Action.FAILED);
      assertThat(recorder.last().explanation())
          .startsWith("the controller threw java.lang.NullPointerException: ");
      assertThat(pool.size()).isEqualTo(4);
    }
  }

  @Test
  void theFarthestSizesAreRefusedOrBounded() {
    for (int far : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE, 0, -1}) {
      start(w -> Decision.resize(far, "far"));
      clock.advance(SECOND);
      assertThat(recorder.last().action()).as("%d", far).isEqualTo(Action.REFUSED);
      assertThat(pool.size()).as("%d", far).isEqualTo(4);
    }
    start(w -> Decision.towards(Integer.MIN_VALUE, "far"));
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(pool.bounds().minimum());
  }

  @SuppressWarnings("NullAway") // What a class without nullness checks may answer.
  private static Decision nothing() {
    return null;
  }

  /** A pool that fails when it is told to. */
  private final class Fragile implements Resizable {
    private boolean resizeFails;
    private boolean sizeFails;

    @Override
    public String name() {
      return "fragile";
    }

    @Override
    public int size() {
      if (sizeFails) {
        throw new IllegalStateException("not reachable");
      }
      return pool.size();
    }

    @Override
    public Bounds bounds() {
      return pool.bounds();
    }

    @Override
    public void resize(int size) {
      if (resizeFails) {
        throw new OutOfMemoryError("no thread");
      }
      pool.resize(size);
    }
  }

  @Test
  void aResizeThatFailsIsTriedAgain() {
    Fragile fragile = new Fragile();
    fragile.resizeFails = true;
    describe(fragile, pool, w -> Decision.resize(9, "nine")).listener(recorder).start();
    clock.advance(SECOND);
    assertThat(recorder.last().action()).isEqualTo(Action.FAILED);
    assertThat(recorder.last().after()).isEqualTo(4);
    assertThat(recorder.last().explanation())
        .isEqualTo("the resize to 9 failed: java.lang.OutOfMemoryError: no thread");
    fragile.resizeFails = false;
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(9);
  }

  /** Found so: a pool that threw when asked for its size ended the thread of the timer. */
  @Test
  void aPoolOrASensorThatThrowsDoesNotEndTheLoop() {
    Fragile fragile = new Fragile();
    fragile.sizeFails = true;
    describe(
            fragile,
            now -> {
              if (now == SECOND.toNanos()) {
                throw new StackOverflowError("sensor");
              }
              return pool.closeWindow(now);
            },
            w -> Decision.resize(9, "nine"))
        .listener(recorder)
        .start();
    clock.advance(SECOND);
    assertThat(recorder.windows).isEmpty();
    clock.advance(SECOND);
    assertThat(recorder.windows).hasSize(1);
    assertThat(recorder.steps).isEmpty();
    fragile.sizeFails = false;
    clock.advance(SECOND);
    assertThat(pool.size()).isEqualTo(9);
  }

  @Test
  void aListenerThatThrowsDisturbsNobody() {
    ControlListener throwing =
        new ControlListener() {
          @Override
          public void onWindow(Resizable resizable, Window window) {
            throw new AssertionError("on purpose");
          }

          @Override
          public void onStep(Resizable resizable, Step step) {
            throw new IllegalStateException("on purpose");
          }
        };
    describe(pool, pool, w -> Decision.resize(9, "nine"))
        .listener(throwing)
        .listener(recorder)
        .start();
    clock.advance(SECOND);
    assertThat(recorder.windows).hasSize(1);
    assertThat(recorder.steps).hasSize(1);
    assertThat(pool.size()).isEqualTo(9);
  }

  @Test
  void closingHandsOverTheLastWindowAndStopsTheTimer() {
    pool.users(4);
    ControlLoop loop = start(w -> Decision.keep(w, "kept"));
    clock.advance(Duration.ofMillis(1250));
    loop.close();
    loop.close();
    assertThat(clock.timers()).isZero();
    assertThat(recorder.windows).extracting(Window::completions).containsExactly(400L, 100L);
    assertThat(recorder.steps).hasSize(1);
    assertThat(recorder.closes).isEqualTo(1);
  }

  @Test
  void aListenerMayCloseTheLoop() {
    List<ControlLoop> loops = new ArrayList<>();
    ControlListener closing =
        new ControlListener() {
          @Override
          public void onWindow(Resizable resizable, Window window) {
            loops.get(0).close();
          }
        };
    loops.add(
        describe(pool, pool, w -> Decision.resize(9, "nine"))
            .listener(closing)
            .listener(recorder)
            .start());
    clock.advance(SECOND);
    assertThat(recorder.closes).isEqualTo(1);
    assertThat(recorder.steps).as("after the close").isEmpty();
    assertThat(pool.size()).isEqualTo(4);
  }

  @Test
  void badSettingsAreNamed() {
    ControlLoop.Builder builder = ControlLoop.tune(pool);
    assertThatThrownBy(builder::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs a controller");
    assertThatThrownBy(() -> builder.window(Duration.ZERO))
        .hasMessage("window must be >= 1 ms, but is PT0S");
    assertThatThrownBy(() -> builder.hangAfter(Duration.ofSeconds(-1)))
        .hasMessage("hangAfter must be positive, but is PT-1S");
  }
}
