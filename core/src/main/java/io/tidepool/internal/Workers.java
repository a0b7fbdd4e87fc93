package io.tidepool.internal;

import io.tidepool.Window;
import io.tidepool.spi.Ticker;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The workers of a pool: who they are, how long they have been busy, what CPU time they used. */
public final class Workers {

  /** A thread is born for one pool and never serves another, so one for all pools will do. */
  private static final ThreadLocal<@Nullable Worker> CURRENT = new ThreadLocal<>();

  private final List<Worker> live = new ArrayList<>();
  private final Ticker ticker;
  private final PoolMeter meter;
  private final Queue<Runnable> queue;
  private final boolean measureCpu;
  private volatile int count;
  private long busyOfGone;
  private long cpuOfGone;
  private long busySeen;
  private long cpuSeen;

  /**
   * @param measureCpu whether CPU time is read, one system call a window and worker that ran
   */
  public Workers(Ticker ticker, PoolMeter meter, Queue<Runnable> queue, boolean measureCpu) {
    this.ticker = ticker;
    this.meter = meter;
    this.queue = queue;
    this.measureCpu = measureCpu && ManagementFactory.getThreadMXBean().isThreadCpuTimeSupported();
  }

  /** The worker on whose thread this is called, or null if it is no worker's. */
  static @Nullable Worker current() {
    return CURRENT.get();
  }

  /** Runs what a worker does from its birth to its end, on its own thread. */
  public void run(Runnable life) {
    Worker worker = new Worker(ticker, meter, queue);
    CURRENT.set(worker);
    synchronized (live) {
      live.add(worker);
      count = live.size();
    }
    try {
      life.run();
    } finally {
      CURRENT.remove();
      long now = ticker.nanoTime();
      synchronized (live) {
        live.remove(worker);
        count = live.size();
        busyOfGone += worker.busyUntil(now);
        cpuOfGone += measureCpu ? worker.cpu() : 0;
      }
    }
  }

  /** Live workers now. */
  public int count() {
    return count;
  }

  /** Threads of the live workers. */
  public List<Thread> threads() {
    synchronized (live) {
      return live.stream().map(Worker::thread).toList();
    }
  }

  /** Workers in a task now. */
  public int running() {
    synchronized (live) {
      return (int) live.stream().filter(Worker::inTask).count();
    }
  }

  /**
   * What the workers did since the last call.
   *
   * @param busy nanoseconds spent in tasks, summed over workers
   * @param running workers in a task now
   * @param cpu nanoseconds of CPU, summed over workers, or {@link Window#NOT_MEASURED}
   */
  public record Usage(long busy, int running, long cpu) {}

  /** What the workers did since the last call. One caller at a time. */
  public Usage usage(long now) {
    long busy;
    long cpu;
    int running = 0;
    synchronized (live) {
      busy = busyOfGone;
      cpu = cpuOfGone;
      for (Worker worker : live) {
        busy += worker.busyUntil(now);
        running += worker.inTask() ? 1 : 0;
        cpu += measureCpu ? worker.cpu() : 0;
      }
    }
    // A task that started after the caller read the clock counts less than nothing as yet.
    long newlyBusy = Math.max(0, busy - busySeen);
    Usage usage = new Usage(newlyBusy, running, measureCpu ? cpu - cpuSeen : Window.NOT_MEASURED);
    busySeen += newlyBusy;
    cpuSeen = cpu;
    return usage;
  }
}
