package io.poolkeeper;

import java.time.Duration;
import java.util.Optional;

/**
 * Decides on the size of a pool, once for each window.
 *
 * <p>A controller is a plain class without threads, clock and I/O; its random numbers, if any, come
 * from a seed. So the same windows always give the same decisions, in production, in virtual time
 * and in the replay of a recorded run. One thread at a time calls it, except that {@link
 * #requireBounds} and {@link #relieve} may be called while it decides.
 *
 * <p>A controller must cope with three things. The size in the window may differ from the size it
 * asked for: the pool may be frozen or in dry-run, or a person may have changed the size. A window
 * may hold garbage, such as NaN or no length; it must not spoil later decisions. And the controller
 * knows the bounds only if it stores them: the loop refuses a size outside them, unless the
 * decision was made with {@link Decision#towards}.
 */
@FunctionalInterface
public interface Controller {

  /** Decides on the size to use from now on. */
  Decision decide(Window window);

  /**
   * Returns a smaller size to apply at once because the heap fills up, before the window closes and
   * {@link #decide} is called; {@code size}, the default, if there is no need. The loop calls it
   * for every pool that runs in real time. It must neither allocate nor wait: while the collector
   * is busy, either may take seconds. For the same reason it may be called on another thread while
   * {@link #decide} is under way; never twice at the same time. The decision then applies only as
   * far as it asks for an even smaller size.
   *
   * @param size in force
   * @param collecting share of the last moments in which garbage collection stopped the process, 0
   *     or more; 0 while less than half of the heap is in use, which then does not fill up
   * @param filling part of the free heap that the next second takes at a rate of allocation that
   *     rose suddenly, 1 or more if the heap becomes full within it; 0 while the rate is usual, and
   *     for half a second after growth, which explains a sudden rate
   */
  default int relieve(int size, double collecting, double filling) {
    return size;
  }

  /** Returns the objective that it optimises; empty, the default, if it declares none. */
  default Optional<Objective> objective() {
    return Optional.empty();
  }

  /** Returns the length of the windows that suit it best; default 1 s. */
  default Duration window() {
    return Duration.ofSeconds(1);
  }

  /**
   * Checks that it can decide within the bounds; by default it can. The loop calls it with the
   * bounds of the pool before the first decision, and with new bounds before they take effect. The
   * latter happens on the thread that calls {@link ControlLoop#bounds(Bounds)}, while another
   * thread may be in {@link #decide}. A controller that needs the bounds stores them here.
   *
   * @throws IllegalArgumentException naming the setting that is out of bounds and its value; the
   *     bounds stay as they were
   */
  default void requireBounds(Bounds bounds) {}

  /** Returns the name in logs and records; default the simple name of the class. */
  default String name() {
    return getClass().getSimpleName();
  }
}
