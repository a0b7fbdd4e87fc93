package io.poolkeeper.testbed.controllers.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.controllers.Policies;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comments. */
final class OverloadRulesTest {

  private static final long MILLISECOND = 1_000_000;

  private long now;

  /** A task ends {@code gap} milliseconds after the one before. */
  private void sample(SampleRule rule, long gap, long millis) {
    now += gap * MILLISECOND;
    rule.sample(now - millis * MILLISECOND, millis * MILLISECOND, 10, false);
  }

  /**
   * Target 20 ms, shortest 10 ms. Delay 0: 21 credits. Delay 70 ms: 21 * (1 - 0.02 * 50 / 20) =
   * 19.95. Delay 2990 ms: 1 - 0.02 * 148.5 is negative, so a half, 9.975. Delay 20 ms is at the
   * target: times 1.
   */
  @Test
  void breakwater() {
    BreakwaterRule rule = new BreakwaterRule(20, 1000, 1, Duration.ofMillis(20));
    sample(rule, 0, 10);
    assertThat(rule.limit()).isEqualTo(20);
    sample(rule, 10, 10);
    assertThat(rule.limit()).isEqualTo(21);
    sample(rule, 10, 80);
    assertThat(rule.reason())
        .isEqualTo("a delay of 70.000 ms against a target of 20.000 ms, 20.0 credits");
    assertThat(rule.limit()).isEqualTo(19);
    sample(rule, 10, 3000);
    assertThat(rule.limit()).isEqualTo(9);
    assertThat(rule.reason()).endsWith("10.0 credits");
    sample(rule, 10, 30);
    assertThat(rule.limit()).isEqualTo(9);
  }

  /** 0.001 * 5000 = 5 more at once. The mean of 10, 20 and 60 less 10 is 20: no more, no less. */
  @Test
  void breakwaterSharesByClientsAndTakesTheMeanOfARoundTrip() {
    BreakwaterRule rule = new BreakwaterRule(20, 28, 5000, Duration.ofMillis(20));
    sample(rule, 0, 10);
    sample(rule, 10, 10);
    assertThat(rule.limit()).isEqualTo(25);
    sample(rule, 4, 10);
    sample(rule, 4, 20);
    assertThat(rule.limit()).as("8 ms are no round trip").isEqualTo(25);
    sample(rule, 4, 60);
    assertThat(rule.limit()).isEqualTo(25);
    sample(rule, 10, 10);
    assertThat(rule.limit()).as("the maximum").isEqualTo(28);
  }

  /** 100 * 1.01, * 0.95, * 0.95: 101, 95.95, 91.1525. */
  @Test
  void dagor() {
    DagorRule rule = new DagorRule(100, 1000, Duration.ofMillis(20));
    sample(rule, 0, 10);
    sample(rule, 999, 30);
    assertThat(rule.limit()).isEqualTo(100);
    sample(rule, 1, 50);
    assertThat(rule.limit()).as("a mean queueing time of 20 ms is not above it").isEqualTo(101);
    sample(rule, 1000, 31);
    assertThat(rule.limit()).isEqualTo(95);
    sample(rule, 1000, 500);
    assertThat(rule.limit()).isEqualTo(91);
    assertThat(rule.reason())
        .isEqualTo("a mean queueing time of 490.000 ms against 20.000 ms, limit 91.2");
  }

  @Test
  void dagorDecidesAfterTwoThousandTasks() {
    DagorRule rule = new DagorRule(100, 1000, Duration.ofMillis(20));
    for (int i = 0; i < 1999; i++) {
      sample(rule, 0, 10);
    }
    assertThat(rule.limit()).isEqualTo(100);
    sample(rule, 0, 10);
    assertThat(rule.limit()).isEqualTo(101);
  }

  /**
   * Times 1 to 100 ms: p90 90 ms against 200 ms, error -0.55: + 2 * 0.45 = 0.9. Then p90 900 ms:
   * 0.7 * 90 + 0.3 * 900 = 333 ms, error 0.665: 20.9 / 1.2 = 17.4. Then 110 ms: 266.1 ms, 14.5.
   */
  @Test
  void seda() {
    SedaRule rule = new SedaRule(20, 1000, Duration.ofMillis(200));
    for (int i = 100; i > 0; i--) {
      sample(rule, 0, i);
    }
    assertThat(rule.limit()).isEqualTo(20);
    assertThat(rule.reason())
        .isEqualTo("p90 of 90.000 ms against a target of 200.000 ms, limit 20.9");
    sample(rule, 1000, 900);
    assertThat(rule.reason())
        .isEqualTo("p90 of 333.000 ms against a target of 200.000 ms, limit 17.4");
    sample(rule, 999, 110);
    assertThat(rule.limit()).isEqualTo(17);
    sample(rule, 1, 110);
    assertThat(rule.reason())
        .isEqualTo("p90 of 266.100 ms against a target of 200.000 ms, limit 14.5");
  }

  /** Between half the target and the target it does not move: error -0.25. */
  @Test
  void sedaRestsBelowItsTarget() {
    SedaRule rule = new SedaRule(20, 1000, Duration.ofMillis(200));
    sample(rule, 0, 150);
    sample(rule, 1000, 150);
    assertThat(rule.reason())
        .isEqualTo("p90 of 150.000 ms against a target of 200.000 ms, limit 20.0");
  }

  @Test
  void droppedTasksAndTimesOfNothingAreNoSamples() {
    SedaRule seda = new SedaRule(20, 1000, Duration.ofMillis(200));
    seda.sample(0, 0, 1, false);
    seda.sample(0, 10_000_000_000L, 1, true);
    assertThat(seda.limit()).isEqualTo(20);
    assertThat(seda.reason()).startsWith("p90 of 0.000 ms");
  }

  @Test
  void theCatalogueMakesEachByItsName() {
    assertThat(new OverloadPolicies().policies())
        .extracting(ControllerDescriptor::name)
        .containsExactly("breakwater-style", "dagor-style", "seda-style")
        .allSatisfy(name -> assertThat(Policies.named(name, Map.of()).name()).isEqualTo(name));
    assertThatThrownBy(() -> Policies.named("seda-style", Map.of("target", "0")))
        .hasMessage("target must be >= 1, but is 0");
  }
}
