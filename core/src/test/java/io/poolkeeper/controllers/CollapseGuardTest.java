package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.poolkeeper.Objective;
import io.poolkeeper.internal.heap.CollectionTime;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CollapseGuardTest {

  private static final int PROCESSORS = 2;

  @ParameterizedTest
  @CsvSource({
    "200, 0.49, 50, 50,  a large pool and half of the time in collection",
    "200, 0.30, 200, 200, a third is no danger",
    "208, 0.90, 52, 52, the worse the same",
    "32,  0.60, 32, 16, few workers earn more than they risk: one window is not enough",
    "40,  0.45, 16, 16, never below what is safe",
    "16,  0.99, 16, 16, where other means are needed",
  })
  void fallsWhereTheHeapIsFull(int size, double share, int once, int twice, String why) {
    CollapseGuard guard = CollapseGuard.INITIAL;
    int first = guard.reducedSize(size, share, PROCESSORS);
    assertThat(first).as(why).isEqualTo(once);
    CollapseGuard strained = guard.afterWindow(size, share, 0.5);
    int second = strained.reducedSize(size, share, PROCESSORS);
    assertThat(second).as(why).isEqualTo(twice);
  }

  /** Work that always spends half of its time so is no collapse. */
  @Test
  void whatIsUsualIsNoDanger() {
    CollapseGuard guard = CollapseGuard.INITIAL;
    for (int i = 0; i < 40; i++) {
      guard = guard.afterWindow(200, 0.5, 0.5);
    }
    assertThat(guard.reducedSize(200, 0.55, PROCESSORS)).isEqualTo(200);
    assertThat(guard.reducedSize(200, 0.85, PROCESSORS)).isEqualTo(50);
  }

  @Test
  void theCeilingRisesSlowlyTowardsWhatCollapsed() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(200, 16, 0.8, false);
    assertThat(guard.limiting()).isTrue();
    double before = 16;
    for (int i = 0; i < 20; i++) {
      guard = guard.afterWindow((int) before, 0.15, 0.5);
      assertThat(guard.ceiling()).isBetween(before, 1.2 * before);
      before = guard.ceiling();
    }
    assertThat(guard.ceiling()).isGreaterThan(40);
    for (int i = 0; i < 120; i++) {
      guard = guard.afterWindow((int) guard.ceiling(), 0.15, 0.5);
    }
    assertThat(guard.ceiling()).isLessThan(200);
    assertThat(guard.afterWindow(200, 0.5, 0.5).ceiling()).isEqualTo(guard.ceiling());
  }

  /** A pause of the collector must not keep a pool small that rests at a small size since. */
  @Test
  void theCeilingRisesWithTimeWhereTheSizeIsFarBelow() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(72, 18, 0.7, true);
    for (int i = 0; i < 10; i++) {
      guard = guard.afterWindow(1, 0, 0.5);
    }
    assertThat(guard.ceiling()).isBetween(18.0, 30.0);
    assertThat(guard.afterWindow(1, 0.2, 0.5).ceiling()).as("busy").isEqualTo(guard.ceiling());
    for (int i = 0; i < 1000; i++) {
      guard = guard.afterWindow(1, 0, 0.5);
    }
    assertThat(guard.ceiling()).isBetween(65.0, 72.0);
    assertThat(guard.proven()).as("allowed in one step").isBetween(60.0, 72.0);
  }

  @Test
  void sizesWithoutDangerSinceTheCollapseAreProven() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(176, 44, 0.7, false);
    assertThat(guard.proven()).isZero();
    guard = guard.afterWindow(44, 0, 0.5).afterWindow(84, 0, 0.5).afterWindow(60, 0, 0.5);
    assertThat(guard.proven()).isEqualTo(84);
    assertThat(guard.afterWindow(100, 0.2, 0.5).proven()).as("in danger").isEqualTo(84);
    assertThat(guard.afterReduction(84, 16, 0.7, false).proven()).isZero();
  }

  @Test
  void otherWorkIsFreeOfIt() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(200, 16, 0.8, false);
    assertThat(guard.afterWorkChange().ceiling()).as("the work may be the cause").isEqualTo(16);
    assertThat(guard.afterWindow(4, 0, 0.5).afterWorkChange().ceiling()).isInfinite();
    for (int i = 0; i < 20 && guard.limiting(); i++) {
      guard = guard.afterWindow((int) guard.ceiling(), 0, 0.5);
    }
    assertThat(guard.limiting()).isFalse();
  }

  /** A heap that fills up at a size that had been fine is a sign of other work, and stays one. */
  @Test
  void whatHasJustCollapsedBelongsToTheNewWork() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(200, 50, 0.8, true);
    assertThat(guard.surprising()).isTrue();
    assertThat(guard.afterWorkChange().ceiling()).isEqualTo(50);
    assertThat(guard.afterWorkChange().surprising()).isFalse();
    CollapseGuard calm = guard.withoutSurprise().afterWindow(20, 0, 0.5);
    assertThat(calm.afterWorkChange().ceiling()).isInfinite();
  }

  /** One long pause of a collector looks like a collapse, until the next window. */
  @Test
  void aPauseIsTakenBackAndNothingSpecialFromThenOn() {
    CollapseGuard guard = CollapseGuard.INITIAL.afterReduction(200, 50, 0.6, true);
    assertThat(guard.falseAlarm(190, 0.01)).isTrue();
    assertThat(guard.falseAlarm(190, 0.5)).as("collection goes on").isFalse();
    assertThat(guard.falseAlarm(60, 0.01)).as("fewer workers may be why").isFalse();
    assertThat(guard.afterWindow(50, 0.01, 0.5).falseAlarm(190, 0.01)).as("later").isFalse();
    CollapseGuard after = guard.afterFalseAlarm();
    assertThat(after.limiting()).isFalse();
    assertThat(after.surprising()).isFalse();
    assertThat(after.reducedSize(200, 0.6, PROCESSORS)).isEqualTo(200);
    CollapseGuard lasting = after.afterWindow(200, 0.6, 0.5);
    assertThat(lasting.reducedSize(200, 0.6, PROCESSORS)).as("twice in a row").isEqualTo(50);
    CollapseGuard muchLater = after.afterWindow(200, 0, 200).afterWindow(200, 0, 200);
    assertThat(muchLater.reducedSize(200, 0.6, PROCESSORS)).as("forgotten").isEqualTo(50);
  }

  /** The first collection may come too late. */
  @ParameterizedTest
  @CsvSource({
    "200, 1.5, 50, allocation is about to fill the heap",
    "200, 0.9, 200, it does not fill it within a second",
    "40,  1.5, 16, never below what is safe",
    "32,  9.0, 32, few workers",
  })
  void fallsOnceWhereTheHeapIsAboutToBeFull(int size, double filling, int after, String why) {
    ResponseCurveController controller =
        new ResponseCurveController(Objective.throughput(), 0.03, PROCESSORS);
    int relieved = controller.relieve(size, 0, filling);
    assertThat(relieved).as(why).isEqualTo(after);
    assertThat(controller.relieve(relieved, 0, filling)).as("once").isEqualTo(after);
  }

  /** While the collector is busy, whoever allocates waits for it. */
  @Test
  void relievingAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ResponseCurveController controller =
        new ResponseCurveController(Objective.throughput(), 0.03, PROCESSORS);
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) { // The first of them may load classes.
      long before = threads.getCurrentThreadAllocatedBytes();
      assertThat(relieve(controller, 1000)).isPositive();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isLessThan(1000);
  }

  private static long relieve(ResponseCurveController controller, int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      sum += CollectionTime.nanos() >= 0 ? 1 : 0;
      sum += controller.relieve(200, 0.6, 0);
    }
    return sum;
  }

  @Test
  void recoversUntilTheCeilingIsNearTheSizeThatCollapsed() {
    CollapseGuard guard = CollapseGuard.INITIAL;
    assertThat(guard.recovering()).isFalse();
    guard = guard.afterReduction(100, 50, 0.7, true);
    while (guard.ceiling() <= 80) {
      assertThat(guard.recovering()).as("ceiling of %.0f", guard.ceiling()).isTrue();
      guard = guard.afterWindow((int) guard.ceiling(), 0.1, 0.5);
    }
    assertThat(guard.limiting()).isTrue();
    assertThat(guard.recovering()).as("ceiling of %.0f", guard.ceiling()).isFalse();
  }
}
