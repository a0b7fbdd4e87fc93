package io.poolkeeper.testbed.controllers;

import io.poolkeeper.spi.ControllerDescriptor;
import java.util.Collection;

/**
 * Makes policies known by name, as {@link io.poolkeeper.spi.ControllerProvider} does for
 * controllers. Found by {@link java.util.ServiceLoader}: name the class in {@code
 * META-INF/services/io.poolkeeper.testbed.controllers.PolicyProvider}.
 */
@FunctionalInterface
public interface PolicyProvider {

  /** Returns the policies there are; every name is unique among all policies and controllers. */
  Collection<ControllerDescriptor<EventPolicy>> policies();
}
