package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PolicyProvider;
import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Rules of other systems that decide at every task that ends. */
public final class PeerPolicies implements PolicyProvider {

  private static final Duration NEVER = Duration.ZERO;
  private static final Setting INITIAL =
      Setting.of("initial", "first limit, from minimum to maximum", 20);
  private static final Setting MINIMUM = Setting.of("minimum", "smallest limit, 1 or more", 20);
  private static final Setting MAXIMUM =
      Setting.of("maximum", "largest limit, at least initial", 200);

  @Override
  public Collection<ControllerDescriptor<EventPolicy>> policies() {
    return List.of(vegas(), gradient2(), aimd(), failsafe());
  }

  private static ControllerDescriptor<EventPolicy> vegas() {
    return new ControllerDescriptor<>(
        "vegas-style",
        "Brakmo and Peterson 1995; Netflix concurrency-limits",
        "service time against the shortest one seen",
        "every task: a queue below 3, or above 6, times the logarithm of the limit",
        "service times that vary by nature; a shortest time that is set anew under load",
        NEVER,
        List.of(
            Setting.of("initial", "first limit, 1 or more", 20),
            Setting.of("maximum", "largest limit, at least initial", 1000),
            Setting.of(
                "probe",
                "multiple of the limit in tasks after which the shortest time is set anew, 0 never",
                30),
            Setting.of("seed", "of the random draws, a whole number", 1)),
        settings ->
            new SampledPolicy(
                new VegasRule(
                    settings.integer("initial"),
                    settings.integer("maximum"),
                    settings.integer("probe"),
                    settings.integer("seed"))));
  }

  private static ControllerDescriptor<EventPolicy> gradient2() {
    return new ControllerDescriptor<>(
        "gradient2-style",
        "Netflix concurrency-limits, Gradient2",
        "service time against its average over 600 tasks",
        "every task: by their ratio, and 0.8 more",
        "a long overload; an optimum below the smallest limit; service times that vary by nature",
        NEVER,
        List.of(INITIAL, MINIMUM, MAXIMUM),
        settings ->
            new SampledPolicy(
                new Gradient2Rule(
                    settings.integer("initial"),
                    settings.integer("minimum"),
                    settings.integer("maximum"))));
  }

  private static ControllerDescriptor<EventPolicy> aimd() {
    return new ControllerDescriptor<>(
        "aimd-style",
        "Chiu and Jain 1989; Netflix concurrency-limits, AIMD",
        "drops; service time against a timeout",
        "every task: one more; at a drop or timeout: a tenth less",
        "nothing is dropped: it goes to its maximum",
        NEVER,
        List.of(
            INITIAL,
            MINIMUM,
            MAXIMUM,
            Setting.of("timeout", "service time that counts as a drop, milliseconds", 5000)),
        settings ->
            new SampledPolicy(
                new AimdRule(
                    settings.integer("initial"),
                    settings.integer("minimum"),
                    settings.integer("maximum"),
                    Require.millis("timeout", settings.integer("timeout")))));
  }

  private static ControllerDescriptor<EventPolicy> failsafe() {
    return new ControllerDescriptor<>(
        "failsafe-style",
        "failsafe-go 0.9.7, AdaptiveLimiter",
        "p90 service time against its average over 10 samples; its correlation, and that of throughput, with what is in flight",
        "every second of at least 50 tasks: by the queue that they tell, and down where more in flight bring no more",
        "an optimum far from the start: it moves by 1 or 2 a second; a long overload",
        NEVER,
        List.of(INITIAL, Setting.of("minimum", "smallest limit, 1 or more", 1), MAXIMUM),
        settings ->
            new SampledPolicy(
                new FailsafeRule(
                    settings.integer("initial"),
                    settings.integer("minimum"),
                    settings.integer("maximum"))));
  }
}
