package io.poolkeeper.testbed.controllers.disk;

import io.poolkeeper.Objective;
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

  /**
   * Bytes of read and write calls of the pool's workers per second: the published metric. Not
   * measured in a window in which the set of workers changed.
   */
  public static final Signal DISK_THROUGHPUT =
      new Signal(
          "disk throughput of the same workers",
          window ->
              window.disk().changes() == 0 ? Objective.diskThroughput().value(window) : Double.NaN);

  /** Mean time of a read or write call, with what a worker does besides. */
  public static final Signal CALL_TIME =
      new Signal(
          "mean time of a call",
          window ->
              window.disk().measured()
                  ? window.busy() * window.seconds() * 1e9 / window.disk().calls()
                  : Double.NaN);

  double of(Window window) {
    double read = value.applyAsDouble(window);
    return read >= 0 && Double.isFinite(read) ? read : Double.NaN;
  }
}
