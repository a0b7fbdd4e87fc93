package io.poolkeeper.testbed.commands;

import java.io.Serial;

/** Something that the caller must change; the message is one line that names it and its value. */
public final class BadInput extends Exception {

  @Serial private static final long serialVersionUID = 1;

  /** With a line that names what is wrong, and its value. */
  public BadInput(String message) {
    super(message);
  }
}
