package io.poolkeeper.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A run record as a reader meets it: its version, and the lines of its files. */
record RecordFolder(Path folder) {

  /** The latest version of the run record that is read here. */
  static final int VERSION = 1;

  static final String RUN = "run.json";
  static final String WINDOWS = "windows.csv";
  static final String DECISIONS = "decisions.jsonl";

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.record");

  Path file(String name) {
    return folder.resolve(name);
  }

  /**
   * Reads {@code run.json}; an empty object without one, which is taken for the latest version.
   *
   * @throws IOException naming the file if it is no JSON, and the version if it is none or a later
   *     one
   */
  JsonNode readRun() throws IOException {
    Path file = file(RUN);
    if (!Files.exists(file)) {
      return JsonNodeFactory.instance.objectNode();
    }
    JsonNode run;
    try {
      run = new ObjectMapper().readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw new IOException(file + ": is not JSON: " + why(e), e);
    }
    JsonNode version = run.path("version");
    if (!version.isInt() || version.asInt() < 1) {
      throw new IOException(file + ": version must be a whole number >= 1, but is " + version);
    }
    if (version.asInt() > VERSION) {
      throw new IOException(
          "%s: version %d of the run record; this reader knows versions up to %d"
              .formatted(file, version.asInt(), VERSION));
    }
    return run;
  }

  /** Returns the message of the parser, without the place in a text that it does not show. */
  static String why(JsonProcessingException e) {
    String first = e.getOriginalMessage().lines().findFirst().orElse("");
    return first.replaceFirst(" \\(start marker at .*", "");
  }

  /**
   * The lines of a file; a last one without an end was cut off, and is left out with a warning.
   *
   * @throws IOException naming the file if it cannot be read
   */
  List<String> wholeLines(String name) throws IOException {
    Path file = file(name);
    String text;
    try {
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": is missing", e);
    } catch (CharacterCodingException e) {
      throw new IOException(file + ": is not UTF-8 text", e);
    }
    int end = text.lastIndexOf('\n') + 1;
    if (end < text.length()) {
      LOG.log(Level.WARNING, file + ": the last line is cut off and was ignored");
    }
    return text.substring(0, end).lines().toList();
  }
}
