package io.tidepool.testbed.simulate.model;

import java.io.Serial;

/** A model file that cannot be simulated; the message is one line with file, line and setting. */
public final class BadModel extends Exception {

  @Serial private static final long serialVersionUID = 1;

  BadModel(String message) {
    super(message);
  }
}
