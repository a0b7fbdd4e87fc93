package io.poolkeeper.spi;

import io.poolkeeper.Controller;
import java.util.Collection;

/**
 * Makes controllers of another module known by name, to configurations and to whatever compares
 * controllers. Found by {@link java.util.ServiceLoader}: name the class in {@code
 * META-INF/services/io.poolkeeper.spi.ControllerProvider}.
 */
@FunctionalInterface
public interface ControllerProvider {

  /** Returns the controllers of this module; each name is unique among all modules. */
  Collection<ControllerDescriptor<Controller>> controllers();
}
