package io.poolkeeper;

import java.time.Duration;
import java.util.Optional;

/**
 * Decides sizes: a window in, a decision out.
 *
 * <p>A controller is a plain class. It has no threads, no clock, no I/O, and no randomness but a
 * seeded one, so that the same object runs in production, in virtual time and in the replay of a
 * recorded run, and the same windows always give the same decisions. It is called by one thread at
 * a time; {@link #requireBounds} alone may be called while it decides.
 *
 * <p>Three things it must live with. The size in the window may not be the one it asked for: the
 * pool may be frozen or in dry-run, or a person may have changed it. A window may hold garbage,
 * such as NaN or no length; one such window must not spoil later decisions. And it does not know
 * the bounds: a size outside them is refused by the loop, unless the decision was made with {@link
 * Decision#towards}.
 */
@FunctionalInterface
public interface Controller {

  /** Decides on the size to use from now on. */
  Decision decide(Window window);

  /**
   * Returns a smaller size to take at once where the heap is filling up, before the window is
   * closed and {@link #decide} is asked; {@code size} where there is no need, which is the default.
   * The loop asks on every pool that runs in real time. It may not allocate and may not wait: while
   * the collector is busy either may take seconds, in which nothing would be decided at all.
   *
   * @param size in force
   * @param collecting share of the last moments in which garbage collection held up the process, 0
   *     or more
   * @param filling part of the free heap that the next second takes if allocation goes on at a rate
   *     that has risen suddenly, at least 1 where it becomes full; 0 where the rate is usual
   */
  default int relieve(int size, double collecting, double filling) {
    return size;
  }

  /** Objective, whose values the learned curve holds; empty, the default, if unknown. */
  default Optional<Objective> objective() {
    return Optional.empty();
  }

  /** Length of the windows that it decides best on, default 1 s. */
  default Duration window() {
    return Duration.ofSeconds(1);
  }

  /**
   * Checks that it can decide within these bounds; by default it can. It is called with the bounds
   * of the pool before it decides for the first time, and with new ones before they take effect: by
   * the thread that calls {@link ControlLoop#bounds(Bounds)}, while another may be in {@link
   * #decide}. A controller that needs the bounds keeps them here.
   *
   * @throws IllegalArgumentException naming the setting that is out of bounds and its value; the
   *     bounds stay as they were
   */
  default void requireBounds(Bounds bounds) {}

  /** Name by which people know it, the simple name of the class unless it says otherwise. */
  default String name() {
    return getClass().getSimpleName();
  }
}
