package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Bounds;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.CoordinatedSizes.Lead;
import org.junit.jupiter.api.Test;

/** Arithmetic and faults of two pools that are sized together, worked out by hand. */
final class CoordinatedSizesTest {

  private static final long SECOND = 1_000_000_000L;
  private static final double MS = 1e6;

  private long now;

  private static TimeStats times(long count, double millis) {
    long nanos = Math.round(millis * MS);
    return new TimeStats(count, millis * MS, nanos, nanos, nanos, nanos, nanos, nanos);
  }

  private Window window(
      int size, double busy, double queue, long count, double service, double wait) {
    now += SECOND;
    return Window.builder(now - SECOND, now, size)
        .busy(busy)
        .queue(queue, (int) Math.ceil(queue))
        .completions(count)
        .times(times(count, wait), times(count, service), times(count, wait + service))
        .build();
  }

  /** 400 requests of 100 ms on 40 threads; 800 uses of 9 ms that wait for 5 ms each. */
  private Window requests(int size) {
    return window(size, 40, 20, 400, 100, 50);
  }

  private Window uses(int size) {
    return window(size, 7.2, 4, 800, 9, 5);
  }

  private static CoordinatedSizes pair(int most) {
    return new CoordinatedSizes(Objective.throughput(), 0.03, 4, most);
  }

  /** 118 threads, 1 use of 23 ms in requests of 45 ms: 60 connections (Wang 2019, equation 6). */
  @Test
  void connectionsByThePublishedEquation() {
    Residences residences = new Residences();
    residences.addRequests(window(118, 2.622 * 45, 0, 2622, 45, 0));
    residences.addUses(window(60, 2.622 * 23, 0, 2622, 23, 0));
    assertThat(118 * residences.connectionsPerThread()).isCloseTo(60.31, within(0.01));
  }

  /** 100 ms less 2 * 5 ms of waits; 2 * 9 / 90. */
  @Test
  void waitsForConnectionsAreNoneOfTheService() {
    Residences residences = new Residences();
    assertThat(residences.measurable()).isFalse();
    residences.addRequests(requests(40));
    residences.addUses(uses(10));
    assertThat(residences.measurable()).isTrue();
    assertThat(residences.visits()).isEqualTo(2);
    assertThat(residences.residence()).isEqualTo(9 * MS);
    assertThat(residences.service()).isCloseTo(90 * MS, within(1e-3));
    assertThat(residences.connectionsPerThread()).isCloseTo(0.2, within(1e-12));
  }

  @Test
  void aRatioIsNotMeasurableFromFewTasksNorFromUsesOfOthers() {
    Residences few = new Residences();
    few.addRequests(window(40, 4, 0, 40, 100, 0));
    few.addUses(window(10, 1, 0, 400, 9, 0));
    assertThat(few.measurable()).isFalse();
    Residences others = new Residences();
    others.addRequests(window(40, 4, 0, 400, 1, 0));
    others.addUses(window(10, 10, 90, 4000, 9, 90));
    assertThat(others.measurable()).as("waits longer than the requests").isFalse();
    Residences garbage = new Residences();
    garbage.addRequests(requests(40));
    garbage.addUses(uses(10));
    garbage.addUses(window(10, 1, 0, 400, Double.NaN, 0));
    assertThat(garbage.visits()).isEqualTo(2);
  }

  /** 400 threads of which 395 are in front of the connections, and then 44 of which 30 are. */
  @Test
  void afterAChangeOfTheThreadsTheRatioIsThatOfTheirNewNumber() {
    Residences residences = new Residences();
    for (int i = 0; i < 20; i++) {
      residences.addRequests(window(400, 400, 300, 400, 800, 50));
      residences.addUses(window(10, 5, 0, 800, 6, 0));
    }
    assertThat(residences.connectionsPerThread()).isCloseTo(0.0125, within(1e-9));
    // Those that ended began among 400 threads, and took long.
    residences.addRequests(window(44, 44, 600, 500, 700, 50));
    assertThat(residences.connectionsPerThread())
        .as("not half of each")
        .isCloseTo(0.0125, within(1e-9));
    residences.addUses(window(10, 10, 4, 1000, 10, 4));
    assertThat(residences.connectionsPerThread()).isCloseTo(0.25, within(1e-9));
  }

  /** 800 uses of 12.5 ms in 10 connections, for which 4.5 threads wait. */
  private Window bindingUses() {
    return window(10, 10, 4.5, 800, 12.5, 5);
  }

  /** 10 hold a connection, and 25.5 of 40 do not and do not wait; and 3 * 5.96 + 1 more. */
  @Test
  void threadsFollowTheConnections() {
    CoordinatedSizes pair = pair(1);
    pair.connectionBounds(new Bounds(10, 10));
    Decision threads = Decision.resize(40, "none");
    for (int i = 0; i < 60; i++) {
      threads = pair.threads(requests(40));
      pair.connections(bindingUses());
    }
    assertThat(pair.lead()).isEqualTo(Lead.CONNECTIONS);
    assertThat(threads.numbers().get("needed")).isCloseTo(35.5, within(0.01));
    assertThat(threads.reason())
        .isEqualTo(
            "10 connections keep 35.5 threads at work: 2.00 uses per request, 12.50 ms each, of"
                + " 90.00 ms without waits");
    assertThat(threads.size()).isEqualTo(55);
  }

  /** While threads bind and connections do not, more of them look like what is needed. */
  @Test
  void threadsThatFollowGrowCarefullyWhereConnectionsDoNotBind() {
    CoordinatedSizes pair = pair(1);
    pair.connectionBounds(new Bounds(10, 10));
    pair.threads(requests(40));
    pair.connections(uses(10));
    assertThat(pair.threads(requests(40)).size()).isEqualTo(49);
  }

  /**
   * 12 threads are busy and half a connection is in use, with 26 of them: the 26 and twice the 11.5
   * threads in front of them, and not 26 * 12 / 0.5.
   */
  @Test
  void aRatioIsNotExtrapolatedFarFromWhereItWasMeasured() {
    CoordinatedSizes pair = pair(1);
    pair.connectionBounds(new Bounds(26, 26));
    Decision threads = Decision.resize(60, "none");
    for (int i = 0; i < 10; i++) {
      threads = pair.threads(window(60, 12, 0, 400, 30, 0));
      pair.connections(window(26, 0.5, 0, 400, 1.25, 0));
    }
    assertThat(threads.numbers().get("needed")).isCloseTo(49, within(0.01));
    assertThat(threads.size()).isEqualTo(71);
  }

  /** 49 threads are needed, and 21 for their spread, and 1. */
  @Test
  void aFollowerAtMostDoublesAndShrinksByATenth() {
    CoordinatedSizes pair = pair(1);
    pair.connectionBounds(new Bounds(26, 26));
    pair.threads(window(20, 12, 0, 400, 30, 0));
    pair.connections(window(26, 0.5, 0, 400, 1.25, 0));
    assertThat(pair.threads(window(20, 12, 0, 400, 30, 0)).size()).isEqualTo(40);
    assertThat(pair.threads(window(300, 12, 0, 400, 30, 0)).size()).isEqualTo(270);
  }

  /** Requests queue for threads and no thread waits for a connection. */
  @Test
  void threadsLeadWhereTheyBindAndConnectionsDoNot() {
    CoordinatedSizes pair = pair(1);
    pair.threadBounds(new Bounds(40, 40));
    for (int i = 0; i < 8; i++) {
      pair.threads(requests(40));
      pair.connections(window(30, 7.2, 0, 800, 9, 0));
    }
    assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    Decision connections = pair.connections(window(30, 7.2, 0, 800, 9, 0));
    // 40 * 2 * 9 / 100 = 7.2, and 3 * 2.68 and 1 more.
    assertThat(connections.numbers().get("needed")).isCloseTo(7.2, within(0.5));
    assertThat(connections.size()).isEqualTo(27);
    assertThat(pair.connections(window(18, 7.2, 0, 800, 9, 0)).size()).isEqualTo(17);
    for (int i = 0; i < 8; i++) {
      pair.connections(window(17, 17, 9, 800, 20, 10));
      pair.threads(requests(40));
    }
    assertThat(pair.lead()).as("connections bind").isEqualTo(Lead.CONNECTIONS);
  }

  /** With the limit in front of them no more are in use than before: fewer threads need as many. */
  @Test
  void connectionsThatFollowAreNeverFewerThanThoseInUse() {
    CoordinatedSizes pair = pair(1);
    pair.threadBounds(new Bounds(40, 40));
    for (int i = 0; i < 8; i++) {
      pair.threads(window(40, 40, 20, 400, 100, 50));
      pair.connections(window(30, 7.2, 0, 800, 9, 0));
    }
    assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    pair.threads(window(300, 300, 20, 400, 750, 50)); // On the way down to 40.
    Decision connections = pair.connections(window(30, 7.2, 0, 800, 9, 0));
    assertThat(connections.numbers().get("needed")).isCloseTo(7.2, within(1e-9));
  }

  /** 12 connections sufficed when threads took the lead; then the database falls behind. */
  @Test
  void connectionsThatFollowNeverOutgrowThoseThatSufficed() {
    CoordinatedSizes pair = pair(1);
    pair.threadBounds(new Bounds(40, 40));
    for (int i = 0; i < 8; i++) {
      pair.threads(requests(40));
      pair.connections(window(12, 3, 0, 800, 3.75, 0));
    }
    assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    Decision connections = Decision.resize(12, "none");
    for (int i = 0; i < 4; i++) {
      pair.threads(requests(40));
      connections = pair.connections(window(12, 12, 20, 400, 30, 20));
    }
    assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    assertThat(connections.size()).isEqualTo(12);
    pair.threads(requests(40));
    pair.connections(window(12, 12, 20, 400, 30, 20));
    pair.threads(requests(40));
    assertThat(pair.lead()).as("they bind").isEqualTo(Lead.CONNECTIONS);
  }

  /** A fifth of the threads holds a connection, and then half of them does. */
  @Test
  void curvesAreForgottenWhereAnotherPartOfTheThreadsHoldsConnections() {
    CoordinatedSizes pair = pair(1);
    pair.threadBounds(new Bounds(40, 40));
    for (int i = 0; i < 60; i++) {
      pair.threads(requests(40));
      pair.connections(window(30, 7.2, 0, 800, 9, 0));
    }
    assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    String reason = pair.threads(requests(40)).reason();
    for (int i = 0; i < 15; i++) {
      pair.connections(window(30, 20, 0, 800, 25, 0));
      assertThat(pair.threads(requests(40)).reason()).isEqualTo(reason);
    }
    pair.connections(window(30, 20, 0, 800, 25, 0));
    pair.threads(requests(40));
    pair.connections(window(30, 20, 0, 800, 25, 0));
    assertThat(pair.threads(requests(40)).reason()).isNotEqualTo(reason);
  }

  @Test
  void aSizeThatAPoolRefusesIsNotCountedWith() {
    CoordinatedSizes pair = pair(1);
    pair.threadBounds(new Bounds(40, 80));
    for (int i = 0; i < 12; i++) {
      pair.threads(window(20, 20, 20, 400, 50, 50)); // It stays at 20.
      pair.connections(window(30, 7.2, 0, 800, 9, 0));
    }
    assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    assertThat(pair.connections(window(30, 7.2, 0, 800, 9, 0)).reason())
        .startsWith("20 threads use");
  }

  @Test
  void eachPoolIsOnItsOwnWithoutUsesAndWithoutTheOther() {
    CoordinatedSizes pair = pair(1);
    for (int i = 0; i < 5; i++) {
      assertThat(pair.threads(requests(40)).numbers()).doesNotContainKey("visits");
      assertThat(pair.connections(window(10, 0, 0, 0, 0, 0)).reason()).isNotBlank();
    }
    pair.connections(bindingUses());
    for (int i = 0; i < 6; i++) {
      assertThat(pair.threads(requests(40)).numbers()).containsKey("visits");
    }
    assertThat(pair.threads(requests(40)).numbers()).as("alone").doesNotContainKey("visits");
  }

  /** Two at once: 20 threads * 1 + 1; and 41 connections leave room for 40 threads. */
  @Test
  void requestsThatHoldTwoConnectionsNeverRunOutOfThem() {
    CoordinatedSizes pair = pair(2);
    pair.connectionBounds(new Bounds(1, 41));
    pair.threadBounds(new Bounds(1, 400));
    int threads = 20;
    int connections = 5;
    for (int i = 0; i < 40; i++) {
      int before = threads;
      threads = pair.threads(window(before, before, 90, 400, 50, 50)).size();
      assertThat(threads).isBetween(1, 40);
      connections = pair.connections(window(connections, 2, 0, 800, 2, 0)).size();
      assertThat(connections).isGreaterThanOrEqualTo(Math.max(before, threads) + 1);
      assertThat(pair.lead()).isEqualTo(Lead.THREADS);
    }
  }

  /** 10 threads wait for a first connection and 10 that hold one for a second: 30 wanted by 20. */
  @Test
  void aDeadlockIsSeenAndEnds() {
    CoordinatedSizes pair = pair(1);
    pair.threads(window(20, 20, 5, 400, 50, 10));
    pair.connections(window(10, 9, 4, 800, 9, 5));
    Decision decision = Decision.resize(10, "none");
    for (int i = 0; i < 4; i++) {
      pair.threads(window(20, 20, 50, 0, 0, 0));
      decision = pair.connections(window(10, 10, 20, 0, 0, 0));
    }
    assertThat(decision.size()).isGreaterThanOrEqualTo(21);
    assertThat(decision.reason()).contains("threads that hold up to 2 each need");
  }

  /** 20 threads wait for 10 connections of a database that hangs: that is no deadlock. */
  @Test
  void aDatabaseThatHangsIsNoDeadlock() {
    CoordinatedSizes pair = pair(1);
    pair.threads(window(20, 20, 5, 400, 50, 10));
    pair.connections(window(10, 9, 4, 800, 9, 5));
    for (int i = 0; i < 10; i++) {
      pair.threads(window(20, 20, 50, 0, 0, 0));
      assertThat(pair.connections(window(10, 10, 10, 0, 0, 0)).reason())
          .doesNotContain("hold up to");
    }
  }

  @Test
  void othersThatUseTheConnectionsAreReported() {
    CoordinatedSizes pair = pair(1);
    Decision decision = Decision.resize(10, "none");
    for (int i = 0; i < 9; i++) {
      pair.threads(window(20, 5, 0, 400, 12, 0));
      decision = pair.connections(window(30, 12, 0, 800, 15, 0));
    }
    assertThat(decision.reason())
        .contains("more connections are held or waited for than threads are at work");
  }
}
