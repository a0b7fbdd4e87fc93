package io.tidepool.testbed.load;

import io.tidepool.testbed.load.description.BadInput;
import io.tidepool.testbed.load.description.DescriptionReader;
import io.tidepool.testbed.load.description.LoadDescription;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Load descriptions for tests. */
public final class Loads {

  private Loads() {}

  /** Reads a description in which apostrophes stand for quotation marks. */
  public static LoadDescription of(String json) {
    try {
      return DescriptionReader.read(
          new ByteArrayInputStream(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    } catch (BadInput | IOException e) {
      throw new AssertionError(e);
    }
  }
}
