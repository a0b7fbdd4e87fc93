package io.tidepool.testbed.servers;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;

/** The limit on open files, each connection being one. */
final class OpenFiles {

  private static final long WANTED_CONNECTIONS = 10_000;

  /** Jars, event loops, listening sockets, connections to the database, and some to spare. */
  private static final long OTHERS = 300;

  private OpenFiles() {}

  /** Says how many connections there is room for, if that is fewer than a test may ask for. */
  static void warnIfFew(PrintStream out) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long limit = system.getMaxFileDescriptorCount();
      if (limit < WANTED_CONNECTIONS + OTHERS) {
        out.printf(
            "tidepool: at most %d files may be open, which leaves room for about %d connections; "
                + "for %d: ulimit -n %d%n",
            limit, Math.max(0, limit - OTHERS), WANTED_CONNECTIONS, WANTED_CONNECTIONS + OTHERS);
      }
    }
  }
}
