package io.poolkeeper.spi;

import io.poolkeeper.Controller;

/**
 * A controller whose state can be taken out and given to a new one, so that what was learned
 * survives a restart: the new one decides as the old one would have.
 *
 * @param <S> the state, an immutable value
 */
public interface Resumable<S extends Record> extends Controller {

  /** What the controller knows now. */
  S state();

  /** A controller with the settings of this one that knows {@code state}. */
  Controller resume(S state);
}
