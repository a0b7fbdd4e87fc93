package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.ControlListener.Action;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds of a pool, narrower ones of its loop, and controllers that cannot decide within them. */
final class ControlLoopBoundsTest {

  private final VirtualLoop time = new VirtualLoop();
  private final PlainPool pool = new PlainPool(2, 8, 20, time.nanoTime());
  private final Recorder recorder = new Recorder();

  private ControlLoop.Builder loop(Controller controller) {
    return time.tune(pool, controller).listener(recorder);
  }

  @ParameterizedTest
  @CsvSource({"2, RESIZED, 2", "20, RESIZED, 20", "1, REFUSED, 8", "21, REFUSED, 8", "8, KEPT, 8"})
  void decisionsHoldTheBounds(int wanted, Action action, int after) {
    loop(window -> Decision.resize(wanted, "asked")).start();
    time.second();
    assertThat(recorder.lastStep().action()).isEqualTo(action);
    assertThat(recorder.lastStep().after()).isEqualTo(after);
    assertThat(pool.size).isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource({"ACTIVE, 6", "DRY_RUN, 8", "FROZEN, 8"})
  void narrowedBoundsHoldAtOnceInActiveModeAlone(Mode mode, int after) {
    ControlLoop loop = loop(window -> Decision.towards(20, "up")).mode(mode).start();
    loop.bounds(new Bounds(3, 6));
    assertThat(pool.size).isEqualTo(after);
    assertThat(loop.bounds()).isEqualTo(new Bounds(3, 6));
    time.second();
    assertThat(pool.size).isEqualTo(after);
    assertThat(recorder.bounds).isEqualTo(new Bounds(3, 6));
  }

  @Test
  void exactDecisionsBeyondNarrowedBoundsAreRefused() {
    ControlLoop loop = loop(window -> Decision.resize(20, "up")).start();
    loop.bounds(new Bounds(3, 12));
    time.second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.REFUSED);
    loop.bounds(new Bounds(2, 20));
    time.second();
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

  @Test
  void boundsWithoutTheSizeOfAFixedControllerAreRefused() {
    ControlLoop loop = loop(Controllers.fixed(10)).start();
    assertThatThrownBy(() -> loop.bounds(new Bounds(3, 6)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size of the fixed controller must be within 3..6, but is 10");
    assertThat(loop.bounds()).isEqualTo(new Bounds(2, 20));
    assertThat(pool.size).isEqualTo(8);
    time.second();
    assertThat(pool.size).isEqualTo(10);
    assertThat(recorder.bounds).isNull();
    loop.bounds(new Bounds(10, 12));
    assertThat(loop.bounds()).isEqualTo(new Bounds(10, 12));
  }

  @Test
  void aControllerIsToldOfTheBoundsBeforeTheyHold() {
    List<String> seen = new ArrayList<>();
    ControlLoop loop =
        loop(new Controller() {
              @Override
              public Decision decide(Window window) {
                return Decision.keep(window, "kept");
              }

              @Override
              public void requireBounds(Bounds bounds) {
                seen.add(bounds + " at size " + pool.size);
              }
            })
            .start();
    loop.bounds(new Bounds(3, 6));
    assertThat(seen)
        .containsExactly(new Bounds(2, 20) + " at size 8", new Bounds(3, 6) + " at size 8");
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "-7, 2", "21, 20", "19, 19"})
  void boundedDecisionsGoToTheNearestAllowedSize(int wanted, int after) {
    loop(window -> Decision.towards(wanted, "asked")).start();
    time.second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.RESIZED);
    assertThat(pool.size).isEqualTo(after);
  }
}
