package io.poolkeeper.testbed.simulator.command;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Computer on which something was computed: the parts {@code machine} and {@code versions} of a run
 * record.
 */
final class Computer {

  /** Asked once: a machine is one machine for all runs of a command. */
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private Computer() {}

  static Map<String, Object> machine() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    machine.put("cpu_model", model());
    machine.put("cpus", PROCESSORS);
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      machine.put("memory_bytes", system.getTotalMemorySize());
    }
    return machine;
  }

  private static String model() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElseGet(() -> System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }

  /** The launcher says the project's own version. */
  static Map<String, String> versions() {
    Map<String, String> versions = new LinkedHashMap<>();
    String own = System.getProperty("poolkeeper.version");
    if (own != null) {
      versions.put("poolkeeper", own);
    }
    versions.put("java", System.getProperty("java.version"));
    return versions;
  }
}
