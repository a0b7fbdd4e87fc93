package io.poolkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Windows that come of what a host tells. */
final class TaskMeterTest {

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 50); // It overflows on the way.
  private final long origin = clock.get();
  private final AtomicInteger waiting = new AtomicInteger();
  private final TaskMeter meter =
      new TaskMeter(clock::get, Objective.goodput(Duration.ofNanos(100)), () -> 4, waiting::get);

  private void at(long nanos) {
    clock.set(origin + nanos);
  }

  private Window close(long nanos) {
    at(nanos);
    return meter.closeWindow(clock.get());
  }

  @Test
  void timesAndCountsOfTasksAreThoseOfTheHost() {
    at(100);
    TaskMeter.Run good = meter.began(40);
    at(150);
    good.completed();
    TaskMeter.Run late = meter.began(0);
    at(350);
    late.completed();
    TaskMeter.Run bad = meter.began(10);
    bad.failed();
    meter.refused(5);

    Window window = close(400);

    assertThat(window.size()).isEqualTo(4);
    assertThat(window.arrivals()).isEqualTo(4);
    assertThat(window.completions()).isEqualTo(2);
    assertThat(window.withinBound()).isEqualTo(1);
    assertThat(window.failures()).isEqualTo(1);
    assertThat(window.rejections()).isEqualTo(1);
    assertThat(window.queueWait().max()).isEqualTo(40);
    assertThat(window.serviceTime().max()).isEqualTo(200);
    assertThat(window.responseTime().max()).isEqualTo(200);
    assertThat(window.responseTime().count()).isEqualTo(3);
    assertThat(window.busy()).isCloseTo(250 / 400.0, within(1e-9));
    assertThat(window.queueMean()).isCloseTo(55 / 400.0, within(1e-9));
  }

  @Test
  void taskThatRunsThroughWindowsIsBusyInEachAndEndsInOne() {
    at(50);
    TaskMeter.Run run = meter.began(0);
    assertThat(close(100).busy()).isCloseTo(0.5, within(1e-9));
    assertThat(close(200).busy()).isCloseTo(1, within(1e-9));
    at(225);
    run.completed();
    run.failed(); // It has ended.
    Window last = close(300);
    assertThat(last.busy()).isCloseTo(0.25, within(1e-9));
    assertThat(last.completions()).isEqualTo(1);
    assertThat(last.failures()).isZero();
    assertThat(last.serviceTime().max()).isEqualTo(175);
  }

  @Test
  void tasksThatWaitHaveArrivedOnce() {
    waiting.set(3);
    Window first = close(100);
    assertThat(first.arrivals()).isEqualTo(3);
    assertThat(first.queueMax()).isEqualTo(3);
    waiting.set(2);
    at(120);
    TaskMeter.Run run = meter.began(90);
    Window second = close(200);
    assertThat(second.arrivals()).isZero();
    run.completed();
    waiting.set(0);
    meter.refused(100);
    meter.refused(100);
    assertThat(close(300).arrivals()).isZero();
  }

  @Test
  void taskThatLeavesTheQueueWhileTheWindowClosesHasArrivedOnce() {
    AtomicInteger queue = new AtomicInteger(1);
    List<TaskMeter.Run> runs = new ArrayList<>();
    List<TaskMeter> own = new ArrayList<>();
    TaskMeter racing =
        new TaskMeter(
            clock::get,
            Objective.throughput(),
            () -> 4,
            () -> {
              // A worker takes the task as soon as the queue has been read.
              int read = queue.getAndSet(0);
              if (read > 0) {
                runs.add(own.get(0).began(0));
              }
              return read;
            });
    own.add(racing);

    at(100);
    assertThat(racing.closeWindow(clock.get()).arrivals()).isEqualTo(1);
    runs.get(0).completed();
    at(200);
    Window second = racing.closeWindow(clock.get());

    assertThat(second.arrivals()).isZero();
    assertThat(second.completions()).isEqualTo(1);
    // The task above was in the queue and running at once for a moment; it hides no later one.
    racing.began(0).completed();
    at(300);
    assertThat(racing.closeWindow(clock.get()).arrivals()).isEqualTo(1);
  }

  @Test
  void waitCountsInTheWindowIntoWhichItFell() {
    assertThat(close(1000).queueMean()).isZero();
    at(1100);
    meter.began(600).completed();
    assertThat(close(1200).queueMean()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void tasksThatStillWaitHaveWaitedAsLongAsOthersDo() {
    at(500);
    meter.began(10).completed();
    meter.began(30).completed();
    waiting.set(9);
    // Two ended waits of 20 in the mean, and nine that have lasted as long.
    assertThat(close(1000).queueMean()).isCloseTo((40 + 9 * 20) / 1000.0, within(1e-9));
    // Without any that ended: since somewhere in the window.
    assertThat(close(2000).queueMean()).isCloseTo(4.5, within(1e-9));
  }

  @Test
  void countsOfManyThreadsAddUpOverWindows() throws InterruptedException {
    long start = System.nanoTime();
    TaskMeter shared = new TaskMeter(Objective.throughput(), () -> 4, () -> 0);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int task = 0; task < 5_000; task++) {
                  shared.began(task % 3).completed();
                }
              });
      threads.add(thread);
      thread.start();
    }
    long arrivals = 0;
    long completions = 0;
    double busy = 0;
    for (int windows = 0; windows < 50 || threads.stream().anyMatch(Thread::isAlive); windows++) {
      Window window = shared.closeWindow(System.nanoTime());
      arrivals += window.arrivals();
      completions += window.completions();
      busy += window.busy() * window.seconds();
      assertThat(window.completions()).isEqualTo(window.responseTime().count());
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Window last = shared.closeWindow(System.nanoTime());
    assertThat(arrivals + last.arrivals()).isEqualTo(20_000);
    assertThat(completions + last.completions()).isEqualTo(20_000);
    // Over all windows: one alone may be shorter than what its thread lost of the processor.
    busy += last.busy() * last.seconds();
    assertThat(busy).isPositive().isLessThan(4 * (last.end() - start) / 1e9);
  }
}
