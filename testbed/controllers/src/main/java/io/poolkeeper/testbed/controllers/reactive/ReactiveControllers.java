package io.poolkeeper.testbed.controllers.reactive;

import io.poolkeeper.Controller;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import io.poolkeeper.spi.Setting;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Those of this package that decide once a window. */
public final class ReactiveControllers implements ControllerProvider {

  @Override
  public Collection<ControllerDescriptor<Controller>> controllers() {
    return List.of(
        new ControllerDescriptor<>(
            "exponential-prediction",
            "Kang and others 2008, after Bahadur and others 2014, section 2.7",
            "mean number of busy workers and waiting tasks",
            "every window: as many workers as its exponential average",
            "the load changes faster than the average; more workers make the work slower",
            Duration.ofSeconds(1),
            List.of(Setting.of("weight", "weight of the last window, above 0 and at most 1", 0.5)),
            settings -> new ExponentialPrediction(settings.decimal("weight"))));
  }
}
