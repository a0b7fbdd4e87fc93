package io.poolkeeper.testbed.peers;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PolicyProvider;
import io.poolkeeper.testbed.controllers.rules.SampledPolicy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The limits of Netflix concurrency-limits with their default settings. */
public final class NetflixPolicies implements PolicyProvider {

  @Override
  public Collection<ControllerDescriptor<EventPolicy>> policies() {
    return List.of(
        policy(
            "netflix-vegas",
            "service time against the shortest one seen",
            "every task: a queue below 3, or above 6, times the logarithm of the limit",
            "as vegas-style; no two runs are the same, its probes are drawn without a seed",
            VegasLimit::newDefault),
        policy(
            "netflix-gradient2",
            "service time against its average over 600 tasks",
            "every task: by their ratio, and 0.8 more",
            "as gradient2-style",
            Gradient2Limit::newDefault),
        policy(
            "netflix-aimd",
            "drops; service time against a timeout of 5 s",
            "every task: one more; at a drop or timeout: a tenth less",
            "as aimd-style",
            () -> AIMDLimit.newBuilder().build()),
        policy(
            "netflix-windowed-gradient2",
            "mean service time of a second against its average over 600 seconds",
            "every second of at least 10 tasks: by their ratio, and 0.8 more",
            "as gradient2-style; it needs 4 minutes from the smallest limit to the largest",
            () -> WindowedLimit.newBuilder().build(Gradient2Limit.newDefault())));
  }

  private static ControllerDescriptor<EventPolicy> policy(
      String name, String signal, String trigger, String weakness, Supplier<Limit> limit) {
    return new ControllerDescriptor<>(
        name,
        "Netflix concurrency-limits, as published",
        signal,
        trigger,
        weakness,
        Duration.ZERO,
        List.of(),
        settings -> new SampledPolicy(new NetflixRule(name, limit.get())));
  }
}
