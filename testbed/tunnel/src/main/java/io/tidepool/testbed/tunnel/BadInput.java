package io.tidepool.testbed.tunnel;

import java.io.Serial;

/** Something that the caller must change; the message is one line that names it and its value. */
final class BadInput extends Exception {

  @Serial private static final long serialVersionUID = 1;

  BadInput(String message) {
    super(message);
  }
}
