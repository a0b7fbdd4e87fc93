package io.poolkeeper.controllers.curves;

import org.jspecify.annotations.Nullable;

/** Reads the system property that varies tuned constants; the only access to the environment. */
final class TuningProperty {

  static final String NAME = "poolkeeper.tuning";

  private TuningProperty() {}

  /** Returns the text of the property, null if it is not set. */
  static @Nullable String read() {
    return System.getProperty(NAME);
  }
}
