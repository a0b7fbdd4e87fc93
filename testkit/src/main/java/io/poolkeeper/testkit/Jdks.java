package io.poolkeeper.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The JDKs of this machine. */
public final class Jdks {

  private static final Path PLACE = Path.of("/usr/lib/jvm");

  private Jdks() {}

  /** Returns the command {@code java} of a JDK with virtual threads, 21 or later; empty if none. */
  public static Optional<Path> withVirtualThreads() throws IOException {
    if (!Files.isDirectory(PLACE)) {
      return Optional.empty();
    }
    try (Stream<Path> found = Files.list(PLACE)) {
      return found
          .filter(home -> home.getFileName().toString().matches(".*\\b2[1-9]\\b.*"))
          .map(home -> home.resolve("bin/java"))
          .filter(Files::isExecutable)
          .findAny();
    }
  }
}
