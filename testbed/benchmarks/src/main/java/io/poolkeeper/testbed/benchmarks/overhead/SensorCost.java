package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.Window;
import io.poolkeeper.linux.DiskSensor;
import io.poolkeeper.linux.Pressure;
import io.poolkeeper.linux.Probe;
import io.poolkeeper.linux.Proc;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.commands.Ranges;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what sensors on /proc cost the thread that reads them. */
@Command(
    name = "sensor-cost",
    description = {
      "CPU time of one reading, through a channel that stays open and through one that is opened",
      "each time, and of a disk sensor on a pool of sleeping threads, read five times a second."
    })
final class SensorCost extends Benchmark {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final double PERCENT_TARGET = 0.3;
  private static final long BETWEEN_MILLIS = 200;
  private static final Window WINDOW = Window.builder(0, BETWEEN_MILLIS * 1_000_000, 64).build();

  @Option(names = "--threads", defaultValue = "64", description = "threads (default 64)")
  private int threads;

  @Option(names = "--rounds", defaultValue = "5", description = "repetitions (default 5)")
  private int rounds;

  @Option(names = "--quick", description = "shorter, for a first impression")
  private boolean quick;

  public static void main(String[] arguments) {
    start(new SensorCost(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--threads", threads, 1, 10_000);
    Ranges.require("--rounds", rounds, 1, 1000);
  }

  @Override
  protected int measure() throws InterruptedException {
    if (DiskSensor.unavailable().isPresent()) {
      System.out.println("nothing to measure: " + DiskSensor.unavailable().get());
      return CommandLine.ExitCode.SOFTWARE;
    }
    Proc proc = Proc.ofMachine();
    long thread = proc.currentThread().toOptional().orElseThrow();
    System.out.println("microseconds of CPU a reading, mean of rounds ± standard deviation");
    reading("io of a thread", () -> proc.threadIo(thread));
    reading("stat of a thread", () -> proc.threadStat(thread));
    reading("schedstat of a thread", () -> proc.threadSchedule(thread));
    reading("io of the process", proc::processIo);
    reading("pressure of I/O", () -> proc.pressure(Pressure.Resource.IO));
    return sensor();
  }

  private void reading(String what, Supplier<Probe<?>> maker) {
    int times = quick ? 2_000 : 20_000;
    double[] open = new double[rounds];
    double[] opened = new double[rounds];
    try (Probe<?> probe = maker.get()) {
      if (probe.read().problem().isPresent()) {
        System.out.printf("%-24s %s%n", what, probe.read().problem().get());
        return;
      }
      time(times, probe::read);
      for (int round = 0; round < rounds; round++) {
        open[round] = time(times, probe::read);
        opened[round] =
            time(
                times / 10,
                () -> {
                  try (Probe<?> fresh = maker.get()) {
                    fresh.read();
                  }
                });
      }
    }
    System.out.printf(
        Locale.ROOT, "%-24s kept open %s, opened each time %s%n", what, text(open), text(opened));
  }

  private static double time(int times, Runnable reading) {
    long before = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < times; i++) {
      reading.run();
    }
    return (THREADS.getCurrentThreadCpuTime() - before) / 1e3 / times;
  }

  private int sensor() throws InterruptedException {
    DiskSensor sensor = new DiskSensor();
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> workers = new ArrayList<>();
    CountDownLatch begun = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      Thread worker =
          new Thread(
              sensor.watch(
                  () -> {
                    begun.countDown();
                    while (end.getCount() > 0) {
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                    }
                  }));
      worker.start();
      workers.add(worker);
    }
    begun.await();
    double[] percent = new double[rounds];
    int readings = quick ? 10 : 50;
    read(sensor, readings); // Unmeasured, so that the code is compiled as in a service.
    for (int round = 0; round < rounds; round++) {
      percent[round] = 100 * read(sensor, readings);
    }
    end.countDown();
    for (Thread worker : workers) {
      LockSupport.unpark(worker);
      worker.join();
    }
    double mean = Arrays.stream(percent).average().orElse(Double.NaN);
    System.out.printf(
        Locale.ROOT,
        "disk sensor, %d threads, 5 readings a second: %s %% of a core, target %.1f %%: %s%n",
        threads,
        text(percent),
        PERCENT_TARGET,
        mean < PERCENT_TARGET ? "met" : "MISSED");
    return mean < PERCENT_TARGET ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  /** Returns the CPU time of readings as a fraction of the time that passes. */
  private static double read(DiskSensor sensor, int readings) throws InterruptedException {
    long cpu = 0;
    long start = System.nanoTime();
    for (int i = 0; i < readings; i++) {
      TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
      long before = THREADS.getCurrentThreadCpuTime();
      Window completed = sensor.complete(WINDOW);
      cpu += THREADS.getCurrentThreadCpuTime() - before;
      if (!completed.disk().measured()) {
        throw new IllegalStateException(completed.disk().problem().orElse(""));
      }
    }
    return (double) cpu / (System.nanoTime() - start);
  }

  private static String text(double[] values) {
    double mean = Arrays.stream(values).average().orElse(Double.NaN);
    double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
    double deviation = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
    return String.format(Locale.ROOT, "%.3f ± %.3f", mean, deviation);
  }
}
