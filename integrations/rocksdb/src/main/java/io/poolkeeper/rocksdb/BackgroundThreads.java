package io.poolkeeper.rocksdb;

import io.poolkeeper.Bounds;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.linux.NamedThreads;
import io.poolkeeper.linux.Proc;
import org.rocksdb.Env;
import org.rocksdb.Priority;

/**
 * The threads of one priority of the default environment, and the sensor of what they do.
 *
 * <p>It calls the environment and the kernel, and never a database: the environment lives as long
 * as the process, while a database may be closed during any call.
 */
final class BackgroundThreads implements Resizable, Sensor, AutoCloseable {

  private static final long MEGABYTE = 1_000_000;

  private final String name;
  private final Priority priority;
  private final Bounds bounds;
  private final int found;
  private final Env env = Env.getDefault();
  private final Proc proc = Proc.ofMachine();
  private final NamedThreads threads;
  private long start;
  private long processCpu;
  private long rest;
  private int looks;
  private long queued;
  private int queueMax;

  BackgroundThreads(String name, Priority priority, int ceiling) {
    this.name = name;
    this.priority = priority;
    bounds = new Bounds(1, ceiling);
    found = env.getBackgroundThreads(priority);
    threads = new NamedThreads(proc, priority == Priority.HIGH ? "rocksdb:high" : "rocksdb:low");
    processCpu = processCpu();
    start = System.nanoTime();
    // Opening a database has raised the pool to its ceiling.
    resize(bounds.clamp(Runtime.getRuntime().availableProcessors()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return Math.max(1, env.getBackgroundThreads(priority));
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    env.setBackgroundThreads(bounds.require("size", size), priority);
  }

  /** Looks at the queue and at the states of the threads. */
  synchronized void look() {
    int waiting = env.getThreadPoolQueueLen(priority);
    threads.look();
    looks++;
    queued += waiting;
    queueMax = Math.max(queueMax, waiting);
  }

  @Override
  public synchronized Window closeWindow(long now) {
    look();
    NamedThreads.Usage usage = threads.measure();
    long bytes = rest + usage.disk().logicalBytes();
    rest = bytes % MEGABYTE;
    double queue = (double) queued / looks;
    long cpu = processCpu();
    Window window =
        Window.builder(start, now, size())
            // While jobs wait no thread is idle, whatever the kernel says it waits for.
            .busy(queue >= 1 ? usage.threads() : usage.busy())
            .queue(queue, queueMax)
            .completions(bytes / MEGABYTE)
            .cpu(usage.cpuNanos(), Math.max(0, cpu - processCpu))
            .disk(usage.disk())
            .build();
    start = now;
    processCpu = cpu;
    looks = 0;
    queued = 0;
    queueMax = 0;
    return window;
  }

  private long processCpu() {
    try (var stat = proc.processStat()) {
      return stat.read().toOptional().map(s -> s.userNanos() + s.systemNanos()).orElse(processCpu);
    }
  }

  /** Gives the databases the threads back that there were. */
  void giveBack() {
    env.incBackgroundThreadsIfNeeded(found, priority);
  }

  @Override
  public void close() {
    giveBack();
    threads.close();
  }
}
