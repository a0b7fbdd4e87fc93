package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that live as long as their pool, in virtual time. */
@Timeout(300)
final class ExecutorResidentsTest {

  private final VirtualLoop time = new VirtualLoop();
  private final CountDownLatch release = new CountDownLatch(1);

  private final AdaptiveExecutor pool =
      AdaptiveExecutor.builder("residents")
          .bounds(1, 8)
          .initialSize(8)
          .mode(Mode.FROZEN)
          .jmx(false)
          .ticker(time)
          .timer(time)
          .listener(time)
          .build();

  @AfterEach
  void end() throws InterruptedException {
    release.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
  }

  /** Occupies workers until the end of the test, or of {@code until}. */
  private void occupy(int workers, CountDownLatch until) {
    CountDownLatch begun = new CountDownLatch(workers);
    for (int i = 0; i < workers; i++) {
      pool.execute(
          () -> {
            begun.countDown();
            Await.latch(until);
          });
    }
    Await.latch(begun);
  }

  private void runOthers(int tasks) {
    for (int i = 0; i < tasks; i++) {
      CountDownLatch ran = new CountDownLatch(1);
      pool.execute(ran::countDown);
      Await.latch(ran);
    }
    Await.until("all are counted", () -> pool.getActiveCount() <= 4);
  }

  private void closeWindows(int seconds) {
    for (int i = 0; i < seconds; i++) {
      time.pass(1000);
      time.close();
    }
  }

  @Test
  void endlessTasksDoNotStarveOthersWhenTheSizeFalls() {
    occupy(4, release);
    time.close();
    runOthers(100);
    time.close();
    pool.resize(3);
    Await.until("the others have left", () -> pool.getPoolSize() == 4);
    CountDownLatch ran = new CountDownLatch(10);
    for (int i = 0; i < 10; i++) {
      pool.execute(ran::countDown);
    }
    closeWindows(9);
    assertThat(pool.residents()).as("no hang yet").isZero();
    assertThat(ran.getCount()).isEqualTo(10);
    closeWindows(2);
    assertThat(pool.residents()).as("as many as leave room for one worker").isEqualTo(2);
    Await.latch(ran);
    // Else the last one would end after some of the seconds that pass now, and so be a long task.
    Await.until("all are counted", () -> pool.getCompletedTaskCount() == 110);
    closeWindows(60);
    assertThat(pool.residents()).as("a minute among a hundred others").isEqualTo(4);
    assertThat(pool.toString()).contains("size = 3 of 1..8", "residents = 4");
    assertThat(pool.getPoolSize()).as("three, and the four residents").isLessThanOrEqualTo(7);
    time.pass(1000);
    assertThat(time.close().busy()).as("residents are not among the busy").isLessThanOrEqualTo(3);
  }

  @Test
  void theMaximumHoldsForResidentsToo() {
    occupy(8, release);
    closeWindows(2 * 3600);
    assertThat(pool.residents()).as("two hours, and nothing else ends").isEqualTo(8);
    pool.execute(() -> {});
    assertThat(pool.getPoolSize()).isEqualTo(8);
    assertThat(pool.queued()).isEqualTo(1);
  }

  @Test
  void withNothingToCompareWithATaskIsResidentAfterAnHour() {
    occupy(4, release);
    pool.resize(3);
    time.close();
    closeWindows(3599);
    assertThat(pool.residents()).isZero();
    closeWindows(1);
    assertThat(pool.residents()).isEqualTo(4);
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    Await.latch(ran);
  }

  /** Such as tasks that wait for each other; their own tasks make it faster. */
  @Test
  void aHangMakesRoomForOneWorkerAtATime() {
    occupy(4, release);
    runOthers(1);
    pool.resize(4);
    Await.until("the other has left", () -> pool.getPoolSize() == 4);
    CountDownLatch release2 = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(release2);
        });
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    time.close();
    closeWindows(11);
    Await.latch(begun);
    assertThat(pool.residents()).isEqualTo(1);
    assertThat(pool.getPoolSize()).isEqualTo(5);
    assertThat(ran.getCount()).isEqualTo(1);
    closeWindows(11);
    assertThat(pool.residents()).as("the next takes twice as long").isEqualTo(1);
    closeWindows(11);
    assertThat(pool.residents()).isEqualTo(2);
    Await.latch(ran);
    release2.countDown();
  }

  @Test
  void longTasksDoNotExceedTheSizeWhereNoneHasEnded() {
    occupy(4, release);
    pool.resize(4);
    pool.execute(() -> {});
    time.close();
    closeWindows(600);
    assertThat(pool.residents()).isZero();
    assertThat(pool.getPoolSize()).isEqualTo(4);
  }

  @Test
  void longTasksDoNotExceedTheSizeOnceOneHasEnded() {
    CountDownLatch over = new CountDownLatch(1);
    occupy(1, over);
    occupy(3, release);
    pool.resize(4);
    time.pass(12_000);
    over.countDown();
    Await.until("it has ended", () -> pool.getActiveCount() == 3);
    time.close();
    occupy(1, release);
    pool.execute(() -> {});
    closeWindows(100);
    assertThat(pool.residents()).as("none has run for 120 s").isZero();
    closeWindows(30);
    assertThat(pool.residents()).isPositive();
  }

  @Test
  void tasksThatNeverEndGiveWayAfterAMinuteWhereNoOtherHasEnded() {
    occupy(4, release);
    time.close();
    pool.resize(3);
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    closeWindows(55);
    assertThat(pool.residents()).isZero();
    closeWindows(20);
    assertThat(pool.residents()).isEqualTo(2);
    Await.latch(ran);
  }

  @Test
  void longTasksAmongLongTasksAreNoResidents() {
    occupy(1, release);
    time.close();
    for (int i = 0; i < 120; i++) {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      pool.execute(
          () -> {
            begun.countDown();
            Await.latch(over);
          });
      Await.latch(begun);
      time.pass(20_000);
      over.countDown();
      Await.until("it is counted", () -> pool.getActiveCount() == 1);
      time.close();
      // Of 20 s each: resident is only what runs for 200 s.
      assertThat(pool.residents()).isEqualTo(i < 99 ? 0 : 1);
    }
  }

  @Test
  void aResidentThatEndsIsCountedAgain() {
    CountDownLatch over = new CountDownLatch(1);
    occupy(4, over);
    time.close();
    runOthers(100);
    closeWindows(60);
    pool.resize(3);
    assertThat(pool.residents()).isEqualTo(4);
    Await.until("there are three, and the residents", () -> pool.getPoolSize() == 7);
    over.countDown();
    Await.until("they are workers like others", () -> pool.residents() == 0);
    Await.until("there are no more than the size", () -> pool.getPoolSize() == 3);
    runOthers(10);
  }
}
