package io.poolkeeper.spi;

import io.poolkeeper.Controller;
import java.time.Duration;

/**
 * A controller whose state can be saved and given to a new controller, which then decides as the
 * old one would have. {@code remember} of the builders uses it to keep knowledge over a restart.
 *
 * @param <S> the state, an immutable value. Its components are int, long, double, boolean, String,
 *     enums, records, lists and maps of these
 */
public interface Resumable<S extends Record> extends Controller {

  /** Returns the knowledge of the controller. */
  S state();

  /** Returns a controller with the settings of this one and the knowledge of {@code state}. */
  Resumable<S> resume(S state);

  /**
   * Returns the conditions under which a state is valid, such as the objective. After a restart a
   * state is used only if they are the same.
   */
  default String conditions() {
    return "";
  }

  /**
   * Returns the size with which a restarted pool begins: the one in force, unless that was only
   * tried.
   *
   * @param inForce size in force, 1 or more
   */
  default int restingSize(int inForce) {
    return inForce;
  }

  /**
   * Returns the state after a pause without measurements: the longer the pause, the less certain it
   * is.
   */
  default S doubted(S state, Duration pause) {
    return state;
  }
}
