package io.poolkeeper.testbed.servers;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;

/** The limit on open files, of which each connection takes one. */
final class OpenFiles {

  private static final long WANTED_CONNECTIONS = 10_000;

  /** Jars, event loops, listening sockets, connections to the database, and some to spare. */
  private static final long OTHERS = 300;

  private static final String CLASS = ".class";
  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private static final AtomicBoolean READ = new AtomicBoolean();

  private OpenFiles() {}

  /**
   * Opens the files that a server needs while it runs. Once connections have taken all, none is to
   * be had: a class that is not found then is lost for good, and with it the thread that needs it,
   * be it an event loop or the one that calls all control loops.
   */
  static void readEarly() {
    if (READ.getAndSet(true)) {
      return;
    }
    String line = new SimpleFormatter().format(new LogRecord(Level.WARNING, "a line of the log"));
    assert !line.isEmpty(); // The time zones were read for it.
    ClassLoader loader = OpenFiles.class.getClassLoader();
    loader.getResource("no such resource"); // It is looked for in all archives, which stay open.
    String path = System.getProperty("java.class.path");
    for (String entry : path.split(File.pathSeparator, -1)) {
      loadClasses(Path.of(entry), loader);
    }
  }

  /** Loads the classes of a folder, each of which is a file; an archive is one, and is open. */
  private static void loadClasses(Path folder, ClassLoader loader) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .map(file -> folder.relativize(file).toString())
          .filter(file -> file.endsWith(CLASS) && !file.endsWith("-info" + CLASS))
          .forEach(file -> load(file, loader));
    } catch (IOException | UncheckedIOException e) {
      LOG.log(System.Logger.Level.DEBUG, "classes are loaded when they are needed", e);
    }
  }

  private static void load(String file, ClassLoader loader) {
    String name = file.substring(0, file.length() - CLASS.length());
    try {
      Class<?> unused = Class.forName(name.replace(File.separatorChar, '.'), false, loader);
    } catch (ClassNotFoundException | LinkageError e) { // What it needs is not on the class path.
      LOG.log(System.Logger.Level.DEBUG, "a class that cannot be loaded", e);
    }
  }

  /** Says how many connections there is room for, if that is fewer than a test may ask for. */
  static void warnIfFew(PrintStream out) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long limit = system.getMaxFileDescriptorCount();
      if (limit < WANTED_CONNECTIONS + OTHERS) {
        out.printf(
            "poolkeeper: at most %d files may be open, which leaves room for about %d connections; "
                + "for %d: ulimit -n %d%n",
            limit, Math.max(0, limit - OTHERS), WANTED_CONNECTIONS, WANTED_CONNECTIONS + OTHERS);
      }
    }
  }
}
