package io.poolkeeper.testbed.load.description;

import java.io.Serial;

/** Something that the caller must change; the message is one line that names it and its value. */
public final class BadInput extends Exception {

  @Serial private static final long serialVersionUID = 1;

  public BadInput(String message) {
    super(message);
  }
}
