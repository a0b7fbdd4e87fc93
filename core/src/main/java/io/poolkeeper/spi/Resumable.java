package io.poolkeeper.spi;

import io.poolkeeper.Controller;
import java.time.Duration;

/**
 * A controller whose state can be taken out and given to a new one, so that what was learned
 * survives a restart: the new one decides as the old one would have. {@code remember} of the
 * builders makes use of it.
 *
 * @param <S> the state, an immutable value. Its components are int, long, double, boolean, String,
 *     enums, records, lists and maps of these
 */
public interface Resumable<S extends Record> extends Controller {

  /** Returns all that the controller knows now. */
  S state();

  /** Makes a controller with the settings of this one that knows {@code state}. */
  Resumable<S> resume(S state);

  /**
   * Returns the settings and surroundings that make a state meaningful, such as the objective.
   * After a restart a state is only used where they are the same.
   */
  default String conditions() {
    return "";
  }

  /**
   * Returns a state as it should be after a pause in which nothing was measured: less certain the
   * longer it was.
   */
  default S doubted(S state, Duration pause) {
    return state;
  }
}
