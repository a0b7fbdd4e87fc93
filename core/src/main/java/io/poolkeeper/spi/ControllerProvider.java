package io.poolkeeper.spi;

import io.poolkeeper.Controller;
import java.util.Collection;

/**
 * Provides the controllers of a module by name to configurations and comparisons. {@link
 * java.util.ServiceLoader} finds it: name the class in {@code
 * META-INF/services/io.poolkeeper.spi.ControllerProvider}.
 */
@FunctionalInterface
public interface ControllerProvider {

  /** Returns the controllers of this module; each name is unique among all modules. */
  Collection<ControllerDescriptor<Controller>> controllers();
}
