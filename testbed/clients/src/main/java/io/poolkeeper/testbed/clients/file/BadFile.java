package io.poolkeeper.testbed.clients.file;

import java.io.Serial;

/** A file that cannot be played; the message is one line with file, line and setting. */
public final class BadFile extends Exception {

  @Serial private static final long serialVersionUID = 1;

  public BadFile(String message) {
    super(message);
  }
}
