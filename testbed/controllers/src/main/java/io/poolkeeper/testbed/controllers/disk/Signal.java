package io.poolkeeper.testbed.controllers.disk;

import io.poolkeeper.Window;
import java.util.function.ToDoubleFunction;

/**
 * Figure that a {@link ScaleAdapter} reads from a window.
 *
 * @param name what it is, in a sentence
 * @param value reads it; what is not finite or below 0 counts as not measured
 */
public record Signal(String name, ToDoubleFunction<Window> value) {

  /** Tasks ended normally, per second: stands in where bytes are not counted. */
  public static final Signal THROUGHPUT = new Signal("throughput", Window::throughput);

  /** Mean service time of a task: stands in where I/O calls are not timed. */
  public static final Signal SERVICE_TIME =
      new Signal("mean service time", window -> window.serviceTime().mean());

  double of(Window window) {
    double read = value.applyAsDouble(window);
    return read >= 0 && Double.isFinite(read) ? read : Double.NaN;
  }
}
