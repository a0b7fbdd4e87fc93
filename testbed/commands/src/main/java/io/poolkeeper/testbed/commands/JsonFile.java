package io.poolkeeper.testbed.commands;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file of a run record that holds one JSON document. */
public final class JsonFile {

  private static final ObjectWriter JSON = new ObjectMapper().writerWithDefaultPrettyPrinter();

  private JsonFile() {}

  /**
   * Writes a document; the file holds it as a whole, or what it held before.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Path file, Object document) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.write(part, JSON.writeValueAsBytes(document));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      part.toFile().delete();
      throw e;
    }
  }
}
