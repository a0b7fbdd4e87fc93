package io.poolkeeper.testbed.servers;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.ZoneId;
import java.time.zone.ZoneRules;

/** The limit on open files, each connection being one. */
final class OpenFiles {

  private static final long WANTED_CONNECTIONS = 10_000;

  /** Jars, event loops, listening sockets, connections to the database, and some to spare. */
  private static final long OTHERS = 300;

  private OpenFiles() {}

  /**
   * Reads what a line of the log needs. Once all files are taken it would not be had, and the
   * thread that was to warn of that would end: an event loop, or the one that calls all control
   * loops.
   */
  static void readEarly() {
    ZoneRules unused = ZoneId.systemDefault().getRules();
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
