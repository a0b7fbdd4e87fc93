package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Hang;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real workers, virtual time: what a window says is exact to the nanosecond. */
@Timeout(300)
final class ExecutorInVirtualTimeTest {

  private static final double SECOND = 1e9;

  private final VirtualClock clock = new VirtualClock(1_234_567);
  private final List<Window> windows = new CopyOnWriteArrayList<>();
  private final List<Hang> hangs = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private AdaptiveExecutor pool(int size) {
    return pool(size, 8);
  }

  private AdaptiveExecutor pool(int size, int maximum) {
    return AdaptiveExecutor.builder("virtual")
        .bounds(1, maximum)
        .initialSize(size)
        .mode(Mode.FROZEN)
        .window(Duration.ofSeconds(10))
        .hangAfter(Duration.ofSeconds(25))
        .jmx(false)
        .ticker(clock)
        .timer(clock)
        .listener(
            new ControlListener() {
              @Override
              public void onWindow(Resizable pool, Window window) {
                windows.add(window);
              }

              @Override
              public void onHang(Resizable pool, Hang hang) {
                hangs.add(hang);
              }

              @Override
              public void onClose(Resizable pool) {
                closed.set(true);
              }
            })
        .build();
  }

  /**
   * Closes the pool, and waits until the listener has the last window: in virtual time the last
   * worker may deliver it, and close() waits only two seconds for that.
   */
  private void close(AdaptiveExecutor pool) {
    pool.close();
    Conditions.await("the last window is delivered", closed::get);
  }

  /** A task that says when it begins and ends when it is let. */
  private static final class Held implements Runnable {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @Override
    public void run() {
      heldHere();
    }

    private void heldHere() {
      begun.countDown(); // Here, so that whoever saw it begin finds this method on its stack.
      try {
        assertThat(release.await(300, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void awaitBegin() throws InterruptedException {
      assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
    }

    void end() {
      release.countDown();
    }
  }

  @Test
  void timesAndBusyWorkersAreExact() throws Exception {
    AdaptiveExecutor pool = pool(2);
    Held first = new Held();
    Held second = new Held();
    Held third = new Held();
    pool.execute(first);
    first.awaitBegin();
    clock.advance(Duration.ofSeconds(1));
    pool.execute(second);
    second.awaitBegin();
    pool.execute(third);
    clock.advance(Duration.ofSeconds(2));
    first.end(); // 0 to 3
    third.awaitBegin(); // waited from 1 to 3
    clock.advance(Duration.ofSeconds(2));
    second.end(); // 1 to 5
    third.end(); // 3 to 5
    close(pool);
    assertThat(windows).hasSize(1);
    Window window = windows.get(0);
    assertThat(window.seconds()).isEqualTo(5);
    assertThat(window.size()).isEqualTo(2);
    assertThat(window.busy()).isEqualTo((3.0 + 4 + 2) / 5);
    assertThat(window.utilisation()).isEqualTo(0.9);
    assertThat(window.arrivals()).isEqualTo(3);
    assertThat(window.completions()).isEqualTo(3);
    assertThat(window.throughput()).isEqualTo(0.6);
    assertThat(window.queueMax()).isBetween(0, 1);
    assertThat(window.queueWait().mean()).isEqualTo(2 * SECOND / 3);
    assertThat(window.queueWait().max()).isEqualTo((long) (2 * SECOND));
    assertThat(window.serviceTime().mean()).isEqualTo(9 * SECOND / 3);
    assertThat(window.responseTime().mean()).isEqualTo(11 * SECOND / 3);
    assertThat(window.responseTime().max()).isEqualTo((long) (4 * SECOND));
  }

  @Test
  void aTaskThatRunsThroughAWindowKeepsItsWorkerBusyInIt() throws Exception {
    AdaptiveExecutor pool = pool(4);
    Held held = new Held();
    pool.execute(held);
    held.awaitBegin();
    clock.advance(Duration.ofSeconds(25));
    assertThat(windows).extracting(Window::busy).containsExactly(1.0, 1.0);
    assertThat(windows).extracting(Window::arrivals).containsExactly(1L, 0L);
    assertThat(windows).allMatch(Window::idle);
    held.end();
    close(pool);
    assertThat(windows).hasSize(3);
    assertThat(windows.get(2).responseTime().max()).isEqualTo((long) (25 * SECOND));
    assertThat(hangs).as("nothing waits, so it is no hang").isEmpty();
  }

  @Test
  void aHangIsToldOnceEachTimeWithTheStacks() throws Exception {
    AdaptiveExecutor pool = pool(1, 1);
    Held stuck = new Held();
    Held next = new Held();
    pool.execute(stuck);
    stuck.awaitBegin();
    pool.execute(next);
    pool.execute(() -> {});
    clock.advance(Duration.ofSeconds(20));
    assertThat(hangs).isEmpty();
    clock.advance(Duration.ofSeconds(60));
    assertThat(hangs).hasSize(1);
    Hang hang = hangs.get(0);
    assertThat(hang.since()).isEqualTo(Duration.ofSeconds(30));
    assertThat(hang.window().queueMax()).isEqualTo(2);
    assertThat(hang.stacks()).containsOnlyKeys("virtual-1");
    assertThat(hang.stacks().get("virtual-1"))
        .extracting(StackTraceElement::getMethodName)
        .contains("heldHere");
    stuck.end();
    next.awaitBegin();
    clock.advance(Duration.ofSeconds(60));
    assertThat(hangs).as("progress, and stuck again").hasSize(2);
    next.end();
    pool.close();
  }

  @Test
  void aHangIsToldOnceThoughItGetsMoreWorkers() throws Exception {
    AdaptiveExecutor pool = pool(1);
    pool.submit(() -> {}).get();
    while (pool.getActiveCount() > 0) { // It counts once its worker is free.
      Thread.onSpinWait();
    }
    clock.advance(Duration.ofSeconds(10));
    Held first = new Held();
    Held second = new Held();
    pool.execute(first);
    first.awaitBegin();
    pool.execute(second);
    pool.execute(() -> {});
    clock.advance(Duration.ofSeconds(40));
    second.awaitBegin();
    clock.advance(Duration.ofSeconds(20));
    assertThat(pool.residents()).isPositive();
    assertThat(hangs).hasSize(1);
    first.end();
    second.end();
    pool.close();
  }
}
