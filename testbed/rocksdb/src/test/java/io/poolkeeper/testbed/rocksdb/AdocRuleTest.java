package io.poolkeeper.testbed.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.rocksdb.AdocRule.State;
import org.junit.jupiter.api.Test;

/** The published cases, one by one. */
final class AdocRuleTest {

  private static final State FAST = new State(100, 0, 100, 0, 0);

  private static AdocRule after(State first, int jobs) {
    AdocRule rule = new AdocRule(jobs, 16);
    assertThat(rule.decide(first)).isEqualTo(jobs);
    return rule;
  }

  @Test
  void slowFlushesOfManyJobsAreHalved() {
    assertThat(after(FAST, 8).decide(new State(60, 1, 50, 0, 0))).isEqualTo(4);
    assertThat(after(FAST, 6).decide(new State(60, 1, 50, 1, 0))).as("6 are few").isEqualTo(6);
  }

  @Test
  void fullLevel0GetsTwoJobsMore() {
    assertThat(after(FAST, 4).decide(new State(60, 1, 60, 0.6, 0))).isEqualTo(6);
    assertThat(after(FAST, 4).decide(new State(60, 0, 60, 0.6, 0))).isEqualTo(4);
    assertThat(after(FAST, 4).decide(new State(60, 0, 60, 0.8, 0))).isEqualTo(6);
    assertThat(after(FAST, 16).decide(new State(60, 0, 60, 0.8, 0))).as("most").isEqualTo(16);
  }

  @Test
  void idleCompactionsAreHalvedDownToTwo() {
    AdocRule rule = after(FAST, 6);
    assertThat(rule.decide(new State(90, 0, 100, 0, 3))).isEqualTo(3);
    assertThat(rule.decide(new State(90, 0, 100, 0, 3))).isEqualTo(2);
    assertThat(rule.decide(new State(90, 0, 100, 0, 2))).isEqualTo(2);
  }

  @Test
  void aQuarterIsFlushes() {
    assertThat(AdocRule.flushes(16)).isEqualTo(4);
    assertThat(AdocRule.flushes(2)).isEqualTo(1);
  }
}
