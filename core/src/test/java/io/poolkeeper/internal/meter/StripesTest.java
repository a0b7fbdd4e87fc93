package io.poolkeeper.internal.meter;

import static java.lang.Thread.State.TIMED_WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Await;
import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.internal.executor.PoolMeter;
import io.poolkeeper.internal.executor.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class StripesTest {

  private static final int WRITERS = 6;
  private static final int WINDOWS = 300;
  private static final int FEWEST_WINDOWS = 3;
  private static final Workers.Usage NO_USE = new Workers.Usage(0, 0, 0);

  /**
   * Writers that meet on a stripe, stripes that come into being, and a collector that swaps them
   * under the writers: a record that two windows hold, or none, makes a sum wrong.
   */
  @Test
  void everyRecordIsInExactlyOneWindow() throws Exception {
    Sums sums = new Sums();
    PoolMeter meter = new PoolMeter(0, Objective.throughput());
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    LongAdder taken = new LongAdder();
    AtomicBoolean writing = new AtomicBoolean(true);
    List<Future<Integer>> written = new ArrayList<>();
    for (int w = 1; w <= WRITERS; w++) {
      int nanos = w;
      written.add(
          writers.submit(
              () -> {
                int records = 0;
                while (writing.get() || records % 10 != 0) {
                  taken.increment();
                  meter.ended(0, 0, nanos, records % 10 == 0, 0);
                  records++;
                }
                return records;
              }));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
    int windows = 0;
    while (windows < FEWEST_WINDOWS || (windows < WINDOWS && System.nanoTime() - end < 0)) {
      sums.add(meter.closeWindow(++windows, 1, 0, NO_USE, taken::sum, () -> 0));
    }
    writing.set(false);
    long records = 0;
    long nanos = 0;
    for (int w = 1; w <= WRITERS; w++) {
      int ofWriter = written.get(w - 1).get();
      records += ofWriter;
      nanos += (long) w * ofWriter;
    }
    sums.add(meter.closeWindow(windows + 1, 1, 0, NO_USE, taken::sum, () -> 0));
    writers.shutdown();
    assertThat(writers.awaitTermination(300, TimeUnit.SECONDS)).isTrue();

    assertThat(sums.failures).isEqualTo(records / 10);
    assertThat(sums.completions).isEqualTo(records - records / 10);
    assertThat(sums.arrivals).isEqualTo(records);
    assertThat(sums.counted).isEqualTo(records);
    assertThat(sums.nanos).isEqualTo(nanos);
  }

  /** Whoever writes here without pause: who collects is the next, and every writer comes later. */
  @Test
  void aCollectorWaitsForOneWriterAndNoMore() throws Exception {
    Lane lane = new Lane();
    lane.enterNext();
    CountDownLatch inside = new CountDownLatch(1);
    Thread collector =
        new Thread(
            () -> {
              lane.enterNext();
              inside.countDown();
            });
    collector.start();
    while (!lane.reserved) {
      Thread.onSpinWait();
    }
    lane.exit();
    while (inside.getCount() > 0) {
      assertThat(lane.tryEnter()).as("a writer came in before the collector").isFalse();
    }
    collector.join();
    lane.exit();
    assertThat(lane.tryEnter()).isTrue();
  }

  private static final class Sums {
    private long arrivals;
    private long completions;
    private long failures;
    private long counted;
    private long nanos;

    void add(Window window) {
      arrivals += window.arrivals();
      completions += window.completions();
      failures += window.failures();
      TimeStats response = window.responseTime();
      counted += response.count();
      nanos += Math.round(response.mean() * response.count());
    }
  }

  /** The first one takes back that the lane is reserved when it gets in, the second renews it. */
  @Test
  void twoCollectorsWaitForOneWriterAndNoMore() throws Exception {
    Lane lane = new Lane();
    lane.enterNext();
    AtomicInteger inside = new AtomicInteger();
    CountDownLatch leave = new CountDownLatch(1);
    List<Thread> collectors = new ArrayList<>();
    for (int c = 0; c < 2; c++) {
      Thread collector =
          new Thread(
              () -> {
                lane.enterNext();
                inside.incrementAndGet();
                Await.latch(leave);
                lane.exit();
              });
      collector.setDaemon(true);
      collector.start();
      collectors.add(collector);
      Await.until("it waits", () -> lane.reserved && collector.getState() == TIMED_WAITING);
    }
    lane.exit();
    Await.until("one is inside", () -> inside.get() == 1);
    Await.until("the other one is the next", () -> lane.reserved);
    leave.countDown();
    boolean entered = false;
    while (!entered && inside.get() < 2) {
      entered = lane.tryEnter();
      assertThat(entered && inside.get() < 2)
          .as("a writer came in before the second collector")
          .isFalse();
    }
    if (entered) {
      lane.exit();
    }
    for (Thread collector : collectors) {
      collector.join();
    }
    assertThat(lane.tryEnter()).isTrue();
  }

  /** Of two threads that find all stripes taken at the same time both may have made more. */
  @Test
  void stripesThatTwoThreadsMakeAtATimeLoseNoRecord() throws Exception {
    // Batches, as all at once would fill the heap; fewer where two threads seldom run at a time.
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    for (int batch = 0; batch < 100 && System.nanoTime() - end < 0; batch++) {
      makeAtATime(200);
    }
  }

  private static void makeAtATime(int rounds) throws Exception {
    List<Stripes> all = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      Stripes stripes = new Stripes(0, Objective.throughput());
      assertThat(stripes.all()[0].tryEnter()).isTrue(); // So that both have to make others.
      all.add(stripes);
    }
    AtomicInteger arrived = new AtomicInteger();
    Runnable writer =
        () -> {
          for (int round = 0; round < rounds; round++) {
            arrived.incrementAndGet();
            while (arrived.get() < 2 * (round + 1)) {
              Thread.onSpinWait();
            }
            Stripe stripe = all.get(round).enter(0);
            stripe.tally.completions++;
            stripe.exit();
          }
        };
    Thread other = new Thread(writer);
    other.start();
    writer.run();
    other.join();
    long completions = 0;
    for (Stripes stripes : all) {
      stripes.all()[0].exit();
      completions += stripes.collect(1, 0).tally().completions;
    }
    assertThat(completions).isEqualTo(2L * rounds);
  }
}
