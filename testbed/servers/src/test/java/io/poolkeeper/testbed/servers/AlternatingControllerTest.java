package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Variants that take turns on one pool, in virtual time: a window is one second. */
final class AlternatingControllerTest {

  private static final long SECOND = 1_000_000_000L;

  private long now;
  private Runnable tick = () -> {};

  /** A pool whose busy workers are as many as it has, and more while it drains. */
  private static final class Pool implements Resizable, Sensor {
    private int size = 1;
    private double drains;
    private long begun;

    @Override
    public String name() {
      return "pool";
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public Bounds bounds() {
      return new Bounds(1, 100);
    }

    @Override
    public void resize(int size) {
      this.size = bounds().require("size", size);
    }

    @Override
    public Window closeWindow(long end) {
      Window window = window(begun, end, size, Math.max(size, drains));
      begun = end;
      return window;
    }
  }

  private static Window window(long start, long end, int size, double busy) {
    return Window.builder(start, end, size).busy(busy).completions(10).build();
  }

  /** Adds a worker each time it is asked, and keeps the windows that it saw. */
  private static final class Climbing implements Controller {
    private final List<Window> seen = new ArrayList<>();

    @Override
    public Decision decide(Window window) {
      seen.add(window);
      return Decision.towards(window.size() + 1, "up");
    }
  }

  private final Pool pool = new Pool();
  private final Climbing climbing = new Climbing();
  private final AlternatingController controller =
      new AlternatingController(
          List.of(
              new AlternatingController.Variant("climbing", climbing, 4),
              new AlternatingController.Variant("forty", Controllers.fixed(40), 40)),
          () -> now);

  private ControlLoop loop() {
    controller.attach(pool);
    return ControlLoop.tune(pool)
        .controller(controller)
        .listener(controller)
        .ticker(() -> now)
        .timer(
            (name, interval, body) -> {
              tick = body;
              return () -> {};
            })
        .window(Duration.ofSeconds(1))
        .jmx(false)
        .quiet()
        .start();
  }

  private void windows(int count) {
    for (int window = 0; window < count; window++) {
      now += SECOND;
      tick.run();
    }
  }

  private void switchTo(String variant) {
    now += SECOND / 3;
    var unused = controller.switchTo(variant);
    now -= SECOND / 3;
  }

  @Test
  void eachVariantGetsThePoolBackAtTheSizeThatItLeft() {
    try (ControlLoop loop = loop()) {
      switchTo("climbing");
      assertThat(pool.size()).isEqualTo(4);
      windows(4);
      assertThat(pool.size()).as("three windows were its own").isEqualTo(7);
      switchTo("forty");
      assertThat(pool.size()).isEqualTo(40);
      windows(3);
      assertThat(pool.size()).isEqualTo(40);
      assertThat(loop.controller()).isEqualTo("fixed");
      switchTo("climbing");
      assertThat(pool.size()).isEqualTo(7);
      assertThat(controller.variant()).isEqualTo("climbing");
    }
  }

  @Test
  void theWindowOfTheSwitchIsGivenToNoController() {
    try (ControlLoop loop = loop()) {
      switchTo("climbing");
      windows(3);
      switchTo("forty");
      windows(3);
      switchTo("climbing");
      windows(2);
      assertThat(climbing.seen).hasSize(3);
      assertThat(loop.lastStep()).isPresent();
    }
  }

  @Test
  void theWindowsOfAControllerLieSideBySide() {
    try (ControlLoop loop = loop()) {
      switchTo("climbing");
      windows(3);
      switchTo("forty");
      windows(9);
      switchTo("climbing");
      windows(3);
      assertThat(climbing.seen)
          .extracting(window -> window.start() / SECOND)
          .containsExactly(1L, 2L, 3L, 4L);
      assertThat(loop.lastStep().orElseThrow().window().start()).isEqualTo(14 * SECOND);
    }
  }

  @Test
  void aSliceOfTheVariantInForceBeginsAnewToo() {
    try (ControlLoop loop = loop()) {
      switchTo("climbing");
      windows(2);
      switchTo("climbing");
      assertThat(pool.size()).isEqualTo(5);
      windows(1);
      assertThat(climbing.seen).hasSize(1);
      assertThat(loop.lastStep().orElseThrow().explanation()).contains("not asked");
    }
  }

  @Test
  void windowsInWhichTheVariantBeforeDrainsAreGivenToNoController() {
    try (ControlLoop loop = loop()) {
      switchTo("forty");
      windows(2);
      switchTo("climbing");
      pool.drains = 30;
      windows(3);
      assertThat(climbing.seen).isEmpty();
      assertThat(loop.lastStep().orElseThrow().explanation())
          .contains("30.0 workers are busy with tasks of the slice before");
      pool.drains = 0;
      windows(1);
      assertThat(climbing.seen).hasSize(1);
      pool.drains = 30;
      windows(1);
      assertThat(climbing.seen).as("its own drain is its own business").hasSize(2);
    }
  }

  @Test
  void aDecisionThatComesAfterTheSwitchIsUndone() {
    controller.attach(pool);
    now = 5 * SECOND;
    var unused = controller.switchTo("forty");
    pool.resize(9);
    Window before = window(4 * SECOND, 5 * SECOND - 1, 4, 4);
    controller.onStep(
        pool,
        new ControlListener.Step(
            before,
            "climbing",
            Decision.towards(9, "late"),
            Mode.ACTIVE,
            ControlListener.Action.RESIZED,
            4,
            9,
            "late"));
    assertThat(pool.size()).isEqualTo(40);
  }

  /** In a full heap a decision stands still for lack of memory. */
  @Test
  void theHeapIsRelievedWhileAVariantDecides() throws Exception {
    CountDownLatch decides = new CountDownLatch(1);
    CountDownLatch relieved = new CountDownLatch(1);
    Controller stuck =
        new Controller() {
          @Override
          public Decision decide(Window window) {
            decides.countDown();
            try {
              assertThat(relieved.await(300, TimeUnit.SECONDS)).as("it waits").isTrue();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return Decision.keep(window, "kept");
          }

          @Override
          public int relieve(int size, double collecting, double filling) {
            return size / 2;
          }
        };
    AlternatingController controller =
        new AlternatingController(
            List.of(new AlternatingController.Variant("stuck", stuck, 8)), () -> 0);
    FutureTask<Decision> decision =
        new FutureTask<>(() -> controller.decide(window(0, SECOND, 8, 8)));
    new Thread(decision, "turn").start();
    decides.await();
    assertThat(controller.relieve(8, 0.9, 0)).isEqualTo(4);
    relieved.countDown();
    assertThat(decision.get().reason()).isEqualTo("kept");
  }

  @Test
  void anUnknownVariantIsNamed() {
    controller.attach(pool);
    assertThatThrownBy(() -> controller.switchTo("fourty"))
        .hasMessageContaining("unknown variant 'fourty'; did you mean 'forty'?");
    assertThat(controller.variant()).isEqualTo("climbing");
  }

  @Test
  void theTimeOfASwitchIsTold() {
    controller.attach(pool);
    now = 17;
    assertThat(controller.switchTo("forty"))
        .isEqualTo(new AlternatingController.Switch("forty", 17, 40));
  }
}
