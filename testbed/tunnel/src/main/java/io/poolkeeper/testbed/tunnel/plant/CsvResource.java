package io.poolkeeper.testbed.tunnel.plant;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** A CSV file that is packed with a class, with a header and without quotes. */
public final class CsvResource {

  private CsvResource() {}

  /** Reads the cells of all rows but the header. */
  public static List<String[]> rows(Class<?> owner, String file) {
    try (InputStream stream = Objects.requireNonNull(owner.getResourceAsStream(file), file);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      return reader.lines().skip(1).map(line -> line.split(",", -1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
