package io.tidepool.testbed.controllers;

import io.tidepool.spi.Blueprint;
import java.util.Collection;

/**
 * Makes policies known by name, as {@link io.tidepool.spi.ControllerProvider} does for controllers.
 * Found by {@link java.util.ServiceLoader}: name the class in {@code
 * META-INF/services/io.tidepool.testbed.controllers.PolicyProvider}.
 */
@FunctionalInterface
public interface PolicyProvider {

  /** What there is; every name is its own among all policies and controllers. */
  Collection<Blueprint<EventPolicy>> policies();
}
