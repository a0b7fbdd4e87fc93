package io.tidepool;

/**
 * Decides sizes: a window in, a decision out.
 *
 * <p>A controller is a plain class. It has no threads, no clock, no I/O, and no randomness but a
 * seeded one, so that the same object runs in production, in virtual time and in the replay of a
 * recorded run, and the same windows always give the same decisions. It is called by one thread at
 * a time.
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

  /** Name by which people know it, the simple name of the class unless it says otherwise. */
  default String name() {
    return getClass().getSimpleName();
  }
}
