package io.poolkeeper.testbed.controllers;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Load of the machine's processors. */
final class Processors {

  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private Processors() {}

  /** CPU in use since the last call, from 0 to 1; NaN where the JDK cannot tell. */
  static double load() {
    double load = SYSTEM.getCpuLoad();
    return load >= 0 ? load : Double.NaN;
  }
}
