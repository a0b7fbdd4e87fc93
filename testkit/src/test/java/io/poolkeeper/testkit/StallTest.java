package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.controllers.ResponseCurveController;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stalls: next to nothing ends for some seconds, and then all is as before. A disk writes out what
 * it had buffered, or a database changes over. More workers are no cure, and each that enters makes
 * the way back longer.
 */
final class StallTest {

  private static final int USERS = 300;

  /** A disk: at most 32/s, with 6 workers. */
  private static final IntToDoubleFunction DISK = VirtualPool.scalability(13, 0.196, 0.01927);

  private static Course settled(long seed) {
    return new Course(
            new ResponseCurveController(Objective.throughput(), 0.03, 2), seed, Course.NOISE)
        .run(90, USERS, DISK);
  }

  /** A worker is tried now and then where next to nothing ends; experiments where more ends. */
  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.01, 0.02, 0.03, 0.08})
  void aStallDoesNotFillThePool(double rate) {
    for (long seed = 0; seed < 10; seed++) {
      Course course = settled(seed);
      int before = course.size();
      course.fromNow().run(20, USERS, DISK, rate);
      int most = rate < 0.005 ? 3 * before : 6 * before;
      assertThat(course.sizes()).allMatch(size -> size <= most);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aShortStallChangesNothing(long seed) {
    Course course = settled(seed);
    course.fromNow().run(4, USERS, DISK, 0.03).run(1, USERS, DISK);
    assertThat(course.decisions())
        .noneMatch(decision -> decision.reason().startsWith("the work has changed"));
  }

  /** Without what is known of the curve the pool goes to 1 worker and to many in each of them. */
  @Test
  void stallsThatComeAgainAndAgainLeaveTheSize() {
    int far = 0;
    for (long seed = 1; seed <= 6; seed++) {
      Course course = settled(seed);
      for (int stall = 0; stall < 3; stall++) {
        course.run(7, USERS, DISK, 0.1).run(15, USERS, DISK);
      }
      int before = course.size();
      course.fromNow();
      for (int stall = 0; stall < 4; stall++) {
        course.run(7, USERS, DISK, 0.1).run(15, USERS, DISK);
      }
      far += (int) course.sizes().stream().filter(size -> size > 3 * before).count();
    }
    assertThat(far).isLessThan(40);
  }

  /** The size from before is tried again, and the work is recognised. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 7, 12})
  void theSizeFromBeforeIsBackSoon(long seed) {
    Course course = settled(seed).run(40, USERS, DISK, 0.03).run(30, USERS, DISK);
    course.fromNow().run(60, USERS, DISK);
    assertThat(course.score()).isGreaterThan(0.9);
  }

  /** Other work that is slow: the return in vain costs little. */
  @Test
  void workThatStaysSlowIsLearned() {
    Course course = settled(1);
    IntToDoubleFunction slow = n -> 0.5 * Math.min(n, 100);
    course.run(60, USERS, slow).fromNow().run(120, USERS, slow);
    assertThat(course.score()).isGreaterThan(0.85);
  }

  /** A pool that still grows learns more there than at the size from before. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aGrowingPoolDoesNotReturn(long seed) {
    IntToDoubleFunction fast = n -> 50 * Math.min(n, 8);
    IntToDoubleFunction slow = n -> 0.5 * Math.min(n, 200);
    Course course =
        new Course(new ResponseCurveController(Objective.throughput(), 0.03, 2), seed, Course.NOISE)
            .run(60, USERS, fast)
            .fromNow();
    while (course.size() < 150) {
      course.run(0.5, USERS, slow);
      assertThat(course.decisions()).noneMatch(StallTest::returns);
    }
  }

  private static boolean returns(Decision decision) {
    return decision.reason().contains("before the work changed");
  }
}
