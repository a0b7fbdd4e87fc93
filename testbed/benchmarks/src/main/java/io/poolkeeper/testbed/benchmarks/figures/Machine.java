package io.poolkeeper.testbed.benchmarks.figures;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** Machine that a benchmark runs on. */
public final class Machine {

  /** Of every virtual machine in which something is measured. */
  public static final List<String> FORK_OPTIONS = List.of("-XX:+UseG1GC", "-Xms1g", "-Xmx1g");

  private Machine() {}

  /** Prints what somebody needs to repeat a benchmark. */
  static void print(String command, PrintWriter out) {
    out.println("command: " + command);
    out.printf(
        Locale.ROOT,
        "machine: %d CPUs, %s %s, Java %s, load average %.1f%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("java.version"),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    out.flush();
  }
}
