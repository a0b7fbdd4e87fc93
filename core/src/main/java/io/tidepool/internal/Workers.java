package io.tidepool.internal;

import io.tidepool.Window;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The workers of a pool: who they are, how long they have been busy, what CPU time they used. */
public final class Workers {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** A thread is born for one pool and never serves another, so one for all pools will do. */
  private static final ThreadLocal<Worker> CURRENT = new ThreadLocal<>();

  /** One worker. The plain fields are for its own thread. */
  public static final class Worker {
    private final Thread thread = Thread.currentThread();
    private final BusyTime busyTime = new BusyTime();
    private long start;
    private int queued;

    /** Takes a task at {@code now}, with {@code queued} more of them waiting. */
    public void take(long now, int queued) {
      this.start = now;
      this.queued = queued;
      busyTime.started(now);
    }

    /** The task has ended. */
    public void finish(long now) {
      busyTime.ended(now);
    }

    /** When the last task was taken. */
    public long start() {
      return start;
    }

    /** Tasks that waited when the last one was taken. */
    public int queued() {
      return queued;
    }

    private long cpuNow() {
      return Math.max(0, THREADS.getThreadCpuTime(thread.getId()));
    }
  }

  private final List<Worker> live = new ArrayList<>();
  private final boolean measureCpu;
  private long busyOfGone;
  private long cpuOfGone;
  private long busySeen;
  private long cpuSeen;

  /**
   * @param measureCpu whether CPU time is read, one system call a worker and window
   */
  public Workers(boolean measureCpu) {
    this.measureCpu = measureCpu && THREADS.isThreadCpuTimeSupported();
  }

  /** The worker on whose thread this is called. */
  public static Worker current() {
    return Objects.requireNonNull(CURRENT.get(), "not a worker of this pool");
  }

  /** Runs what a worker does from its birth to its end, on its own thread. */
  public void run(Runnable life) {
    Worker worker = new Worker();
    CURRENT.set(worker);
    synchronized (live) {
      live.add(worker);
    }
    try {
      life.run();
    } finally {
      CURRENT.remove();
      synchronized (live) {
        live.remove(worker);
        busyOfGone += worker.busyTime.until(0);
        cpuOfGone += measureCpu ? worker.cpuNow() : 0;
      }
    }
  }

  /** Threads of the live workers. */
  public List<Thread> threads() {
    synchronized (live) {
      return live.stream().map(worker -> worker.thread).toList();
    }
  }

  /** Workers in a task now. */
  public int running() {
    synchronized (live) {
      return (int) live.stream().filter(worker -> worker.busyTime.busy()).count();
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
        busy += worker.busyTime.until(now);
        running += worker.busyTime.busy() ? 1 : 0;
        cpu += measureCpu ? worker.cpuNow() : 0;
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
