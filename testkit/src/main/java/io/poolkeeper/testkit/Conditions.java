package io.poolkeeper.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what happens on other threads. */
public final class Conditions {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final long PAUSE = Duration.ofMillis(1).toNanos();

  private Conditions() {}

  /**
   * Waits until a condition holds. The limit of five minutes only ends a test that hangs; a machine
   * with dozens of busy programs takes more than one.
   *
   * @param description what should hold, for the message
   * @throws AssertionError if it does not
   */
  public static void await(String description, BooleanSupplier condition) {
    await(() -> description, condition);
  }

  /**
   * Waits like {@link #await(String, BooleanSupplier)}, with a message about the state at the end.
   */
  public static void await(Supplier<String> description, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + PATIENCE + ": " + description.get());
      }
      LockSupport.parkNanos(PAUSE);
    }
  }
}
