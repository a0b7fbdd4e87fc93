package io.tidepool.testbed.load;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Load descriptions for tests. */
final class Loads {

  private Loads() {}

  /** Reads a description in which apostrophes stand for quotation marks. */
  static LoadDescription of(String json) {
    try {
      return DescriptionReader.read(
          new ByteArrayInputStream(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    } catch (BadInput | IOException e) {
      throw new AssertionError(e);
    }
  }
}
