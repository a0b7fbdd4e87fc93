package io.poolkeeper.testbed.load;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.load.description.DescriptionReader;
import io.poolkeeper.testbed.load.description.LoadDescription;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Load descriptions for tests. */
public final class Loads {

  private Loads() {}

  private static final long MEMORY = 1L << 30;

  /** Reads a description. */
  public static LoadDescription of(String yaml) {
    try {
      return DescriptionReader.read(
          "load", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), MEMORY);
    } catch (BadInput | IOException e) {
      throw new AssertionError(e);
    }
  }
}
