package io.poolkeeper.console;

import io.poolkeeper.record.RecordArchive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** An answer that is a file, and not JSON. */
final class Download {

  private final String name;
  private final byte[] content;

  private Download(String name, byte[] content) {
    this.name = name;
    this.content = content;
  }

  static Download of(RecordArchive archive) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try {
      archive.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException("memory takes everything", e);
    }
    return new Download(archive.folder() + ".zip", content.toByteArray());
  }

  /** Value of the header Content-Disposition; curl knows the first name alone. */
  String disposition() {
    return "attachment; filename=\"%s\"; filename*=UTF-8''%s"
        .formatted(
            name.replaceAll("[^\\p{ASCII}]", "_"), URLEncoder.encode(name, StandardCharsets.UTF_8));
  }

  byte[] content() {
    return content;
  }
}
