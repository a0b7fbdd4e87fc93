package io.poolkeeper.testbed.benchmarks.overhead;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** Processor times of this process so far, in nanoseconds. */
final class ProcessorTimes {

  private ProcessorTimes() {}

  /** Of all its threads, those of the virtual machine among them. */
  static long ofProcess() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** Of the living threads whose names begin like this. */
  static long ofThreads(String prefix) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long nanos = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith(prefix)) {
        nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return nanos;
  }
}
