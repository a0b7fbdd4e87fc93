package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PolicyProvider;
import io.poolkeeper.testbed.controllers.Require;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Overload controls of servers, as limits of what runs at once. */
public final class OverloadPolicies implements PolicyProvider {

  private static final Duration NEVER = Duration.ZERO;
  private static final Setting INITIAL = Setting.of("initial", "first limit, 1 or more", 20);
  private static final Setting MAXIMUM =
      Setting.of("maximum", "largest limit, at least initial", 1000);

  @Override
  public Collection<ControllerDescriptor<EventPolicy>> policies() {
    return List.of(
        new ControllerDescriptor<>(
            "breakwater-style",
            "Breakwater, OSDI 2020",
            "mean service time of 10 ms against the shortest one seen",
            "every 10 ms: more credits below the target delay, in proportion fewer above",
            "service times that vary by nature; work that became slower",
            NEVER,
            List.of(
                INITIAL,
                MAXIMUM,
                Setting.of("clients", "that share the credits, 1 or more", 1),
                Setting.of("target", "queueing delay, milliseconds", 20)),
            settings ->
                new SampledPolicy(
                    new BreakwaterRule(
                        settings.integer("initial"),
                        settings.integer("maximum"),
                        settings.integer("clients"),
                        Require.millis("target", settings.integer("target"))))),
        new ControllerDescriptor<>(
            "dagor-style",
            "DAGOR, SoCC 2018",
            "mean service time of a second or 2000 tasks against the shortest one seen",
            "every second or 2000 tasks: 5 % less above a queueing time of 20 ms, else 1 % more",
            "a far optimum; a limit that is not used; service times that vary by nature",
            NEVER,
            List.of(
                INITIAL,
                MAXIMUM,
                Setting.of("threshold", "mean queueing time that is too much, milliseconds", 20)),
            settings ->
                new SampledPolicy(
                    new DagorRule(
                        settings.integer("initial"),
                        settings.integer("maximum"),
                        Require.millis("threshold", settings.integer("threshold"))))),
        new ControllerDescriptor<>(
            "seda-style",
            "Welsh and Culler, USITS 2003",
            "average of the p90 service time of 100 tasks against a target",
            "every 100 tasks or second: less by a sixth above the target, up to 1.8 more below half of it",
            "work that takes longer than the target, or about half of it",
            NEVER,
            List.of(
                INITIAL,
                MAXIMUM,
                Setting.of("target", "p90 of the service time, milliseconds", 100)),
            settings ->
                new SampledPolicy(
                    new SedaRule(
                        settings.integer("initial"),
                        settings.integer("maximum"),
                        Require.millis("target", settings.integer("target"))))));
  }
}
