package io.poolkeeper.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.internal.executor.Episode;
import io.poolkeeper.internal.meter.HeldPermit;
import io.poolkeeper.internal.meter.Lane;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invariants of a gate under any interleaving, with lanes that open and close. */
@Timeout(300)
final class GateStressTest {

  private static final int THREADS = 4;
  private static final int ROUNDS = 100_000;

  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final LongAdder entered = new LongAdder();

  /** A thread that waits for its permit. */
  private static final class Waiting extends Gate.Waiter {
    private final CountDownLatch in = new CountDownLatch(1);

    @Override
    protected void admitted(long at) {
      in.countDown();
    }
  }

  /**
   * Threads take one to three permits at a time, so that lanes run empty, others are full, and
   * whoever finds none closes them under those who use them; at limits where that is rare, usual,
   * and where no lane ever opens. One permit too many shows inside, one lost at the end, a waiter
   * forgotten stops the test.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 13, 100})
  void permitsAreConservedWhileLanesAreDrainedUnderTheirUsers(int limit) throws Exception {
    Gate gate = new Gate(limit);
    LimitMeter meter = new LimitMeter(gate, () -> 1, Objective.throughput());
    run(gate, meter, Math.min(3, limit), new AtomicBoolean(true));
    assertThat(most.get()).isBetween(1, limit);
    allPermitsAreThere(gate, meter, limit);
  }

  /**
   * The limit falls under the permits in use while they return to lanes, and rises while others
   * join; somebody counts the permits meanwhile, which closes the lanes, and closes windows.
   */
  @Test
  void permitsAreConservedWhileTheLimitChanges() throws Exception {
    int highest = 40;
    Gate gate = new Gate(highest);
    LimitMeter meter = new LimitMeter(gate, () -> 1, Objective.throughput());
    AtomicBoolean running = new AtomicBoolean(true);
    AtomicReference<String> wrong = new AtomicReference<>("");
    LongAdder completions = new LongAdder();
    Thread changes =
        new Thread(
            () -> {
              SplittableRandom random = new SplittableRandom(7);
              for (int i = 1; running.get() || i < 100; i++) {
                int next = 1 + random.nextInt(highest);
                gate.limit(() -> next, 0);
                int held = gate.held();
                if (held < 0 || held > highest) {
                  wrong.set(held + " held");
                }
                Window window = meter.closeWindow(i, gate.limit(), gate.takeMostWaiting());
                completions.add(window.completions());
              }
              gate.limit(() -> highest, 0);
            });
    changes.start();
    run(gate, meter, 1, running);
    changes.join();
    assertThat(wrong).hasValue("");
    assertThat(most.get()).isBetween(1, highest);
    completions.add(meter.closeWindow(Long.MAX_VALUE / 2, highest, 0).completions());
    assertThat(completions.sum()).isEqualTo(entered.sum());
    allPermitsAreThere(gate, meter, highest);
  }

  private void run(Gate gate, LimitMeter meter, int mostAtATime, AtomicBoolean running)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> all = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      SplittableRandom random = new SplittableRandom(t);
      all.add(
          threads.submit(
              () -> {
                for (int i = 0; i < ROUNDS; i++) {
                  int permits = 1 + random.nextInt(mostAtATime);
                  Deque<HeldPermit> held = new ArrayDeque<>();
                  for (int p = 0; p < permits; p++) {
                    // Who holds one waits for no other: all might.
                    boolean waits = held.isEmpty() && random.nextInt(8) == 0;
                    HeldPermit permit = permit();
                    if (enter(gate, meter, permit, waits, random)) {
                      held.add(permit);
                    }
                  }
                  for (HeldPermit permit : held) {
                    inside.decrementAndGet();
                    meter.ended(permit, false);
                  }
                }
                return null;
              }));
    }
    for (Future<?> result : all) {
      result.get();
    }
    running.set(false);
    threads.shutdown();
  }

  private static HeldPermit permit() {
    return new HeldPermit(new Object(), new ReferenceQueue<>(), 0, null);
  }

  private boolean enter(
      Gate gate, LimitMeter meter, HeldPermit permit, boolean waits, SplittableRandom random)
      throws InterruptedException {
    if (!meter.tryEnter(permit)) {
      if (!waits) {
        return false;
      }
      Waiting waiting = new Waiting();
      meter.waits(permit);
      gate.join(waiting, 0);
      if (random.nextInt(4) == 0 && gate.giveUp(waiting)) {
        meter.gaveUp(permit, false);
        return false;
      }
      waiting.in.await();
      meter.admitted(permit, 0);
    }
    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
    entered.increment();
    return true;
  }

  private static void allPermitsAreThere(Gate gate, LimitMeter meter, int limit) {
    assertThat(gate.held()).isZero();
    assertThat(gate.waiting()).isZero();
    for (int i = 0; i < limit; i++) {
      assertThat(meter.tryEnter(permit())).isTrue();
    }
    assertThat(meter.tryEnter(permit())).isFalse();
  }

  /** Either the closing finds the permit in the lane, or who brings it finds the lane closed. */
  @Test
  void aPermitThatReturnsToALaneReachesWhoDecidesToWaitMeanwhile() throws Exception {
    Episode.many(
        10,
        episode -> {
          Waiting waiting = new Waiting();
          episode.meanwhile(
              () -> episode.leave(episode.first), () -> episode.gate.join(waiting, 0));
          assertThat(waiting.in.getCount()).as("still waiting").isZero();
          assertThat(episode.gate.held()).isEqualTo(10);
        });
  }

  /** A permit comes to a lane already looked at while the last one goes from a lane that is not. */
  @Test
  void whoLooksForAPermitFindsItThoughItMoves() throws Exception {
    Episode.many(
        10,
        episode -> {
          episode.leave(episode.second); // Free all the time, here or there.
          AtomicBoolean again = new AtomicBoolean();
          AtomicBoolean found = new AtomicBoolean();
          episode.meanwhile(
              () -> {
                episode.leave(episode.first);
                again.set(episode.enter(episode.second));
              },
              () -> found.set(episode.enter(episode.third)));
          assertThat(again).as("one of two free permits").isTrue();
          assertThat(found).as("one of one or two free permits").isTrue();
          assertThat(episode.enter(episode.first)).as("a third of two").isFalse();
        });
  }

  /** Either the closing finds the permit in the lane, or it goes to a centre that owes it. */
  @Test
  void aPermitThatReturnsToALaneWhileTheLimitFallsIsNotGrantedAgain() throws Exception {
    Episode.many(
        10,
        episode -> {
          episode.meanwhile(
              () -> episode.leave(episode.first), () -> episode.gate.limit(() -> 9, 0));
          assertThat(episode.enter(episode.first)).as("a tenth of nine").isFalse();
          assertThat(episode.gate.held()).isEqualTo(9);
        });
  }

  /** So that the tests above do test lanes: they open where there is plenty, and close. */
  @Test
  void aLaneOpensWherePermitsArePlentyAndClosesWhereTheyAreNot() {
    Gate gate = new Gate(4);
    Lane lane = new Lane();
    Lane other = new Lane();
    assertThat(gate.tryEnter(lane)).isTrue();
    assertThat(gate.leave(lane)).as("stays, nothing else to do").isFalse();
    gate.left(lane, 0);
    assertThat(lane.open).isTrue();
    assertThat(gate.tryEnter(lane)).isTrue();
    assertThat(gate.leave(lane)).isTrue();
    assertThat(lane.permits).as("stays in the lane").isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      assertThat(gate.tryEnter(other)).isTrue();
    }
    assertThat(gate.tryEnter(other)).as("the last one is in the first lane").isFalse();
    assertThat(gate.full()).isFalse();
    assertThat(gate.tryEnterFromAll()).isTrue();
    assertThat(lane.open).isFalse();
    assertThat(gate.full()).isTrue();
    assertThat(gate.held()).isEqualTo(4);
  }
}
