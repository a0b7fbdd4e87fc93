package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.AdaptiveLimiter.Holder;
import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits that do not come back, in virtual time. */
@Timeout(300)
final class LimiterLeakTest {

  private static final int HANG_SECONDS = 10;

  private final VirtualLoop time = new VirtualLoop();
  private final Reports reports = new Reports();

  private static final class Reports implements ControlListener {
    private final List<Holder> leaks = new ArrayList<>();
    private final List<Hang> hangs = new ArrayList<>();

    @Override
    public void onLeak(Resizable pool, Holder holder) {
      leaks.add(holder);
    }

    @Override
    public void onHang(Resizable pool, Hang hang) {
      hangs.add(hang);
    }
  }

  private AdaptiveLimiter.Builder limiter(int size, int maximum) {
    return AdaptiveLimiter.builder("limiter")
        .bounds(1, maximum)
        .initialSize(size)
        .mode(Mode.FROZEN)
        .hangAfter(Duration.ofSeconds(HANG_SECONDS))
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(time)
        .listener(reports);
  }

  private Window passSecond() {
    time.pass(1000);
    return time.close();
  }

  @Test
  void holdersAreListedWithTheirAgeTheOldestFirst() throws Exception {
    AdaptiveLimiter limiter = limiter(4, 4).build();
    Permit first = limiter.acquire();
    time.pass(300);
    Permit second = limiter.acquire();
    time.pass(200);
    assertThat(limiter.holders())
        .extracting(Holder::age)
        .containsExactly(Duration.ofMillis(500), Duration.ofMillis(200));
    assertThat(limiter.holders().get(0).thread()).as("not recorded by default").isEmpty();
    assertThat(limiter.holders().get(0).stack()).isEmpty();
    first.success();
    assertThat(limiter.holders()).extracting(Holder::age).containsExactly(Duration.ofMillis(200));
    second.success();
    assertThat(limiter.holders()).isEmpty();
  }

  /** More than the slots of a stripe, given back in another order, and by waiters. */
  @Test
  void everyHolderIsListedOnceHoweverMany() throws Exception {
    AdaptiveLimiter limiter = limiter(40, 40).build();
    List<Permit> held = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      while (held.size() < 40) {
        held.add(limiter.acquire());
      }
      CompletableFuture<Permit> waiter = limiter.acquireAsync(Runnable::run);
      assertThat(limiter.holders()).hasSize(40);
      for (int i = 0; i < 25; i++) {
        held.remove((i * 7 + round) % held.size()).success();
      }
      held.add(waiter.join());
      assertThat(limiter.holders()).hasSize(16).hasSize(limiter.inUse());
    }
    held.forEach(Permit::success);
    assertThat(limiter.holders()).isEmpty();
  }

  @Test
  void aTrackedHolderTellsItsThreadAndWhereItAsked() throws Exception {
    AdaptiveLimiter limiter = limiter(4, 4).trackHolders(true).build();
    Permit permit = limiter.acquire();
    Holder holder = limiter.holders().get(0);
    assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
    assertThat(holder.stack().get(0).getClassName()).isEqualTo(LimiterLeakTest.class.getName());
    assertThat(holder).hasToString(Thread.currentThread().getName() + " for PT0S");
    permit.success();
  }

  @Test
  void aPermitToWhichNobodyRefersIsReclaimedAndReported() throws Exception {
    AdaptiveLimiter limiter = limiter(1, 1).build();
    lose(limiter);
    time.pass(2000);
    assertThat(limiter.inUse()).isEqualTo(1);
    CompletableFuture<Permit> waiter = limiter.acquireAsync(Runnable::run);
    Await.until(
        "the lost permit is reclaimed",
        () -> {
          System.gc();
          time.close();
          return waiter.isDone();
        });
    assertThat(reports.leaks)
        .containsExactly(new Holder(Duration.ofSeconds(2), false, "", List.of()));
    waiter.join().success();
    assertThat(limiter.inUse()).isZero();
    time.close();
    assertThat(time.windows()).extracting(Window::arrivals).as("one each").satisfies(sumsTo(2));
    assertThat(time.windows()).extracting(Window::completions).satisfies(sumsTo(1));
    assertThat(limiter.tryAcquire()).isPresent();
    assertThat(limiter.tryAcquire()).as("reclaimed once").isEmpty();
  }

  /** In a frame of its own, or it would live as long as a variable of the test. */
  private static void lose(AdaptiveLimiter limiter) throws InterruptedException {
    assertThat(limiter.acquire()).isNotNull();
  }

  @Test
  void aPermitThatIsInUseIsNotReclaimed() throws Exception {
    AdaptiveLimiter limiter = limiter(2, 2).build();
    Permit permit = limiter.acquire();
    limiter.acquire().success();
    for (int i = 0; i < 3; i++) {
      System.gc();
      passSecond();
    }
    assertThat(limiter.inUse()).isEqualTo(1);
    permit.success();
    assertThat(reports.leaks).isEmpty();
  }

  /** Nobody waits: those who try and are refused show that permits are wanted. */
  @Test
  void aLimitAllLeakedAndOnlyTriedIsAHang() throws Exception {
    AdaptiveLimiter limiter = limiter(2, 2).trackHolders(true).build();
    List<Permit> leaked = List.of(limiter.acquire(), limiter.acquire());
    passSecond();
    assertThat(reports.hangs).isEmpty();
    for (int i = 0; i < HANG_SECONDS; i++) {
      if (i % 3 == 0) { // Not in every window.
        assertThat(limiter.tryAcquire()).isEmpty();
      }
      passSecond();
    }
    assertThat(reports.hangs).hasSize(1);
    Hang hang = reports.hangs.get(0);
    assertThat(hang.since()).isEqualTo(Duration.ofSeconds(HANG_SECONDS));
    String thread = Thread.currentThread().getName();
    assertThat(hang.stacks().keySet())
        .containsExactly(
            "permit 1, held by " + thread + " for PT11S",
            "permit 2, held by " + thread + " for PT11S");
    assertThat(hang.stacks().values()).allSatisfy(stack -> assertThat(stack).isNotEmpty());
    leaked.forEach(Permit::ignore);
  }

  @Test
  void aLimitAllHeldThatNobodyWantsIsNoHang() throws Exception {
    AdaptiveLimiter limiter = limiter(1, 1).build();
    Permit held = limiter.acquire();
    for (int i = 0; i < 3 * HANG_SECONDS; i++) {
      passSecond();
    }
    assertThat(reports.hangs).isEmpty();
    held.success();
  }

  private int windowsUntilFree(AdaptiveLimiter limiter) {
    int windows = 0;
    while (limiter.tryAcquire().map(permit -> ended(permit)).isEmpty()) {
      passSecond();
      windows++;
      assertThat(windows).as("windows without a permit").isLessThan(100);
    }
    return windows;
  }

  private static boolean ended(Permit permit) {
    permit.success();
    return true;
  }

  @Test
  void aLimitLoweredBelowThePermitsLeakedLetsOthersInAfterAWhile() throws Exception {
    AdaptiveLimiter limiter = limiter(8, 10).build();
    List<Permit> leaked = List.of(limiter.acquire(), limiter.acquire(), limiter.acquire());
    limiter.resize(2);
    assertThat(windowsUntilFree(limiter)).isBetween(HANG_SECONDS, HANG_SECONDS + 2);
    assertThat(limiter.size()).isEqualTo(2);
    assertThat(limiter.inUse()).as("no more written off than needed for one").isEqualTo(1);
    assertThat(reports.leaks).extracting(Holder::reachable).containsExactly(true, true);
    Permit other = limiter.tryAcquire().orElseThrow();
    assertThat(limiter.tryAcquire()).as("one of two is still held").isEmpty();
    other.success();

    // Those written off come back after all: they are counted, and no permit comes of it.
    time.close();
    leaked.forEach(Permit::success);
    leaked.forEach(Permit::success);
    Window window = passSecond();
    assertThat(window.completions()).isEqualTo(3);
    assertThat(window.arrivals()).isZero();
    assertThat(limiter.inUse()).isZero();
    assertThat(limiter.tryAcquire()).isPresent();
    assertThat(limiter.tryAcquire()).isPresent();
    assertThat(limiter.tryAcquire()).as("a third of two").isEmpty();
  }

  /** Written off or not, those in the hands of holders stay within the largest size. */
  @Test
  void writingOffNeverPutsMorePermitsInUseThanTheLargestSize() throws Exception {
    AdaptiveLimiter limiter = limiter(2, 4).build();
    List<Permit> leaked = new ArrayList<>();
    for (int i = 0; i < 10 * HANG_SECONDS; i++) {
      limiter.tryAcquire().ifPresent(leaked::add);
      limiter.tryAcquire().ifPresent(leaked::add);
      passSecond();
    }
    assertThat(leaked).hasSize(4);
    limiter.resize(4);
    assertThat(limiter.size()).isEqualTo(4);
    assertThat(limiter.tryAcquire()).as("a fifth of four").isEmpty();
    leaked.remove(0).success();
    passSecond();
    assertThat(limiter.tryAcquire()).isPresent();
    assertThat(limiter.tryAcquire()).isEmpty();
    leaked.forEach(Permit::ignore);
  }

  @Test
  void aPermitWrittenOffThatIsLostAfterwardsCountsNoMore() throws Exception {
    AdaptiveLimiter limiter = limiter(1, 2).build();
    Permit[] leaked = {limiter.acquire()};
    windowsUntilFree(limiter);
    assertThat(reports.leaks).hasSize(1);
    limiter.resize(2);
    Permit permit = limiter.tryAcquire().orElseThrow();
    assertThat(limiter.tryAcquire()).as("the one written off counts here").isEmpty();
    leaked[0] = null;
    Await.until(
        "nobody has it any more",
        () -> {
          System.gc();
          time.close(); // No time passes: after a while the permit in use would be written off.
          return limiter.tryAcquire().map(LimiterLeakTest::ended).orElse(false);
        });
    assertThat(reports.leaks).as("reported once").hasSize(1);
    permit.success();
  }

  private static Consumer<List<? extends Long>> sumsTo(long sum) {
    return values -> assertThat(values.stream().mapToLong(Long::longValue).sum()).isEqualTo(sum);
  }

  /** Young permits make a limit exceed its size too, and are given back before long. */
  @Test
  void noPermitIsWrittenOffThatIsHeldForAShortTime() throws Exception {
    AdaptiveLimiter limiter = limiter(3, 8).build();
    List<Permit> leaked = List.of(limiter.acquire(), limiter.acquire(), limiter.acquire());
    CompletableFuture<Permit> waiter = limiter.acquireAsync(Runnable::run);
    for (int i = 0; i < HANG_SECONDS - 1; i++) {
      passSecond();
    }
    limiter.resize(4);
    Permit young = waiter.join();
    limiter.resize(1);
    CompletableFuture<Permit> next = limiter.acquireAsync(Runnable::run);
    for (int i = 0; i < 3; i++) {
      passSecond();
    }
    assertThat(reports.hangs).hasSize(1);
    assertThat(reports.leaks).as("written off").hasSize(3);
    assertThat(limiter.inUse()).as("the young one").isEqualTo(1);
    assertThat(next).isNotDone();
    young.success();
    next.join().success();
    leaked.forEach(Permit::ignore);
  }
}
