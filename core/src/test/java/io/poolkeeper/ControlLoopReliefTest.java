package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlListener.Action;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Falls between windows, while the heap fills up. */
final class ControlLoopReliefTest {

  private final VirtualLoop time = new VirtualLoop();
  private final PlainPool pool = new PlainPool(2, 8, 20, time.nanoTime());
  private final Recorder recorder = new Recorder();

  private ControlLoop.Builder loop(Controller controller) {
    return time.tune(pool, controller).listener(recorder);
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

  @Test
  void aFallBetweenWindowsIsToldWithTheNextStep() {
    ControlLoop loop = loop(new Halving()).start();
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(4);
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(2);
    time.second();
    ControlListener.Step step = recorder.lastStep();
    assertThat(step.action()).isEqualTo(Action.RESIZED);
    assertThat(step.before()).isEqualTo(8);
    assertThat(step.after()).isEqualTo(2);
    assertThat(step.explanation())
        .isEqualTo("fell from 8 to 2 at once as the heap was filling up; kept");
    time.second();
    assertThat(recorder.lastStep().action()).as("told once").isEqualTo(Action.KEPT);
    assertThat(recorder.lastStep().explanation()).isEqualTo("kept");
  }

  @Test
  void aFallIsToldWhereTheControllerFailsOrGoesBack() {
    Halving halving = new Halving();
    ControlLoop loop = loop(halving).start();
    loop.filling(0.6, 0);
    halving.wanted = 99;
    time.second();
    assertThat(recorder.lastStep().action()).isEqualTo(Action.REFUSED);
    assertThat(recorder.lastStep().before()).isEqualTo(8);
    assertThat(recorder.lastStep().after()).isEqualTo(4);
    loop.filling(0.6, 0);
    halving.wanted = 4;
    time.second();
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
  @EnumSource(value = Mode.class, mode = EnumSource.Mode.EXCLUDE, names = "ACTIVE")
  void onlyAnActiveLoopShrinksBetweenWindows(Mode mode) {
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
    time.second();
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

  /** In a full heap a turn stands still for seconds, as it takes memory to decide. */
  @ParameterizedTest
  @CsvSource({"12, 4", "8, 4", "4, 4", "3, 3"})
  void aFallWaitsForNoDecisionAndIsNotUndoneByIt(int decided, int after) {
    List<ControlLoop> loops = new ArrayList<>();
    Controller controller =
        new Controller() {
          @Override
          public Decision decide(Window window) {
            Await.elsewhere(() -> loops.get(0).filling(0.6, 0));
            assertThat(pool.size).isEqualTo(4);
            return Decision.resize(decided, "asked");
          }

          @Override
          public int relieve(int size, double collecting, double filling) {
            return size / 2;
          }
        };
    loops.add(loop(controller).start());
    time.second();
    assertThat(pool.size).isEqualTo(after);
    ControlListener.Step step = recorder.lastStep();
    assertThat(step.action()).isEqualTo(Action.RESIZED);
    assertThat(step.after()).isEqualTo(after);
    assertThat(step.explanation())
        .isEqualTo("fell from 8 to %d at once as the heap was filling up; asked", after);
  }

  @Test
  void aFallWhileTheWindowClosesIsNotUndone() {
    List<ControlLoop> loops = new ArrayList<>();
    Sensor sensor =
        now -> {
          Window window = pool.closeWindow(now);
          Await.elsewhere(() -> loops.get(0).filling(0.6, 0));
          return window;
        };
    Halving halving = new Halving();
    halving.wanted = 8;
    loops.add(time.tune(pool, sensor, halving).listener(recorder).start());
    time.second();
    assertThat(pool.size).isEqualTo(4);
    assertThat(recorder.lastStep().explanation())
        .isEqualTo("fell from 8 to 4 at once as the heap was filling up; asked");
  }

  /** Asks for a size, and falls to a quarter where allocation rises suddenly. */
  private static final class Cautious implements Controller {
    private int wanted;

    @Override
    public Decision decide(Window window) {
      return Decision.resize(wanted, "asked");
    }

    @Override
    public int relieve(int size, double collecting, double filling) {
      return filling >= 1 || collecting > 0.5 ? size / 4 : size;
    }
  }

  @Test
  void growthExplainsSuddenAllocationForHalfASecond() {
    Cautious cautious = new Cautious();
    ControlLoop loop = loop(cautious).start();
    cautious.wanted = 9;
    time.second();
    loop.filling(0, 3);
    assertThat(pool.size).as("grew by an eighth").isEqualTo(2);

    pool.size = 8;
    cautious.wanted = 16;
    time.second();
    time.pass(499);
    loop.filling(0, 3);
    assertThat(pool.size).as("grew 499 ms ago").isEqualTo(16);
    time.pass(1);
    loop.filling(0, 3);
    assertThat(pool.size).as("grew 500 ms ago").isEqualTo(4);
  }

  @Test
  void growthExplainsNoCollections() {
    Cautious cautious = new Cautious();
    ControlLoop loop = loop(cautious).start();
    cautious.wanted = 16;
    time.second();
    loop.filling(0.6, 0);
    assertThat(pool.size).isEqualTo(4);
  }

  @Test
  void fallsInAFullHeapStayAboveNarrowedBounds() {
    ControlLoop loop = loop(new Halving()).start();
    loop.bounds(new Bounds(7, 12));
    loop.filling(0.9, 0);
    assertThat(pool.size).isEqualTo(7);
  }
}
