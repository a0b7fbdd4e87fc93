package io.poolkeeper.testbed.controllers.ntier;

import io.poolkeeper.Controller;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Controllers of servers in systems of several tiers. */
public final class NtierControllers implements ControllerProvider {

  @Override
  public Collection<ControllerDescriptor<Controller>> controllers() {
    return List.of(
        new ControllerDescriptor<>(
            "sora-scg",
            "Sora, Middleware 2023",
            "completions within the bound at each concurrency, in windows of 100 ms over 3 min",
            "every 10 s: the knee of a polynomial; a concurrency at its cap: a half more",
            "a concurrency that does not vary; work that changed less than 3 min ago",
            Duration.ofMillis(100),
            List.of(),
            settings -> new ScgController()),
        new ControllerDescriptor<>(
            "conscale-sct",
            "ConScale, IPDPS 2020",
            "throughput at each concurrency, in windows of 50 ms over 3 min",
            "every 10 s: the lower end of the flat range; a concurrency at its cap: a half more",
            "few tasks in 50 ms; work that changed less than 3 min ago",
            Duration.ofMillis(50),
            List.of(),
            settings -> new SctController()),
        new ControllerDescriptor<>(
            "dcm",
            "DCM, ICDCS 2017",
            "throughput and concurrency, in windows of 1 s over 3 min",
            "every 15 s: the peak of a fitted law; a concurrency at its cap: a half more",
            "a plateau; concurrencies that are near each other; work that changed less than 3 min ago",
            Duration.ofSeconds(1),
            List.of(),
            settings -> new DcmController()));
  }
}
