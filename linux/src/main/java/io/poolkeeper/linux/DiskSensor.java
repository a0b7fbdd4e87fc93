package io.poolkeeper.linux;

import io.poolkeeper.DiskStats;
import io.poolkeeper.DiskStats.BlockedSource;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.spi.WorkerSensor;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sensor of a pool whose workers read and write files: bytes, calls, and workers that wait for a
 * device. One line makes a disk pool:
 *
 * <pre>{@code
 * var pool = AdaptiveExecutor.builder("files").sensor(DiskSensor::new).build();
 * }</pre>
 *
 * <p><b>Bytes.</b> The kernel counts them for each thread. A worker reads its counters when it
 * begins and when it ends, the control loop in between, so nothing is lost when workers come and
 * leave.
 *
 * <p><b>Workers that wait for a device.</b> Where the kernel accounts delays ({@code
 * kernel.task_delayacct=1}) their time is exact. Elsewhere the state of up to {@value #LOOKS}
 * workers is looked at when a window closes, taking turns. {@link DiskStats#source} tells which.
 *
 * <p><b>Refusal.</b> The counters include sockets. A sensor that catches a worker in a call to a
 * socket refuses from then on: windows hold the reason in place of numbers, and the size stays. One
 * sleeping worker is looked at in a window, so it takes some windows to notice. Workers that are
 * virtual threads are refused at once: the kernel counts their bytes for whoever carries them.
 *
 * <p><b>Cost.</b> Some microseconds a worker and window, and two open files a worker; docs/disk.md
 * has the figures.
 */
public final class DiskSensor implements WorkerSensor {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  /** Workers whose state is looked at when a window closes, at most. */
  private static final int LOOKS = 8;

  /** Sleeping workers whose stack is looked at when a window closes, at most. */
  private static final int STACKS = 1;

  private final Proc proc;
  private final boolean delayAccounting;
  private final List<Worker> workers = new ArrayList<>();

  /** Traffic since the last window of workers that have left. */
  private IoCounters left = IoCounters.NONE;

  /** Block-I/O delay since the last window of workers that have left, nanoseconds. */
  private long blockedOfLeft;

  private int changes;
  private int turn;

  /** Why the last window lacks something; null if it does not. */
  private @Nullable String problem;

  /** Why nothing is measured any more; null while something is. */
  private @Nullable String refusal;

  /** A worker under watch. */
  private static final class Worker {
    final Thread thread;
    final Probe<IoCounters> io;
    final Probe<TaskStat> stat;
    @Nullable IoCounters last;
    long blockedNanos;

    Worker(Thread thread, Probe<IoCounters> io, Probe<TaskStat> stat) {
      this.thread = thread;
      this.io = io;
      this.stat = stat;
    }
  }

  /**
   * Makes the sensor of one pool.
   *
   * @throws IllegalStateException with the reason, where the machine does not count the bytes of
   *     threads
   */
  public DiskSensor() {
    this(Proc.ofMachine());
  }

  DiskSensor(Proc proc) {
    this.proc = proc;
    delayAccounting = proc.delayAccounting().toOptional().orElse(false);
    problemOf(proc)
        .ifPresent(
            reason -> {
              throw new IllegalStateException("no disk sensor: " + reason);
            });
  }

  /** Returns why this machine cannot count the bytes of threads; empty if it can. */
  public static Optional<String> unavailable() {
    return problemOf(Proc.ofMachine());
  }

  private static Optional<String> problemOf(Proc proc) {
    return proc.currentThread()
        .flatMap(
            thread -> {
              try (Probe<IoCounters> probe = proc.threadIo(thread)) {
                return probe.read();
              }
            })
        .problem();
  }

  @Override
  public Objective objective() {
    return Objective.diskThroughput();
  }

  @Override
  public Runnable watch(Runnable worker) {
    return () -> {
      Worker entered = enter();
      try {
        worker.run();
      } finally {
        leave(entered);
      }
    };
  }

  private @Nullable Worker enter() {
    try {
      if (isVirtual(Thread.currentThread())) {
        refuse(
            "disk throughput refused: workers are virtual threads, and the kernel counts bytes of"
                + " platform threads; give the pool a factory of those");
        return null;
      }
      Sample<Long> id = proc.currentThread();
      if (id instanceof Sample.Value<Long> thread) {
        Worker worker =
            new Worker(
                Thread.currentThread(),
                proc.threadIo(thread.value()),
                proc.threadStat(thread.value()));
        advance(worker);
        synchronized (workers) {
          workers.add(worker);
          changes++;
        }
        return worker;
      }
      fail(id.problem().orElse(""));
    } catch (Throwable e) { // A worker must not be lost for want of memory.
      fail("a worker could not be watched: " + e);
    }
    return null;
  }

  /** Asks by name: the module is compiled for JDK 17. Threads that virtual ones start are none. */
  private static boolean isVirtual(Thread thread) {
    try {
      return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    } catch (ReflectiveOperationException e) { // There are none before JDK 21.
      return false;
    }
  }

  private void refuse(String reason) {
    boolean first;
    synchronized (workers) {
      first = refusal == null;
      refusal = first ? reason : refusal;
    }
    if (first) {
      LOG.log(Level.WARNING, reason);
    }
  }

  private void leave(@Nullable Worker worker) {
    if (worker == null) {
      return;
    }
    try {
      synchronized (workers) {
        workers.remove(worker);
        changes++;
        left = left.plus(advance(worker));
        blockedOfLeft += delayAccounting ? newlyBlocked(worker) : 0;
      }
    } catch (Throwable e) {
      fail("a worker could not be watched: " + e);
    } finally {
      worker.io.close();
      worker.stat.close();
    }
  }

  private void fail(String reason) {
    synchronized (workers) {
      problem = reason;
    }
  }

  /** Returns the traffic since the last call, and none where it cannot be read. */
  private IoCounters advance(Worker worker) {
    Sample<IoCounters> now = worker.io.read();
    IoCounters before = worker.last;
    worker.last = now.toOptional().orElse(null);
    if (worker.last == null) {
      fail(now.problem().orElse(""));
      return IoCounters.NONE;
    }
    if (before == null) {
      return IoCounters.NONE;
    }
    Sample<IoCounters> change = worker.last.since(before);
    change.problem().ifPresent(this::fail);
    return change.toOptional().orElse(IoCounters.NONE);
  }

  private static long newlyBlocked(Worker worker) {
    long before = worker.blockedNanos;
    worker.blockedNanos =
        worker.stat.read().toOptional().map(TaskStat::blockIoNanos).orElse(before);
    return Math.max(0, worker.blockedNanos - before);
  }

  @Override
  public Window complete(Window window) {
    return window.toBuilder().disk(measure(window)).build();
  }

  private DiskStats measure(Window window) {
    synchronized (workers) {
      if (refusal != null) {
        return DiskStats.missing(refusal);
      }
      IoCounters sum = left;
      for (Worker worker : workers) {
        sum = sum.plus(advance(worker));
      }
      Blocked blocked = blocked(window);
      int changed = changes;
      String failed = problem;
      left = IoCounters.NONE;
      blockedOfLeft = 0;
      changes = 0;
      problem = null;
      if (refusal != null) {
        return DiskStats.missing(refusal);
      }
      return failed != null
          ? DiskStats.missing(failed)
          : new DiskStats(
              sum.logicalBytes(),
              sum.readBytes(),
              sum.writtenBytes(),
              sum.calls(),
              blocked.workers(),
              blocked.source(),
              changed,
              Optional.empty());
    }
  }

  private record Blocked(double workers, BlockedSource source) {}

  /** Returns the mean number of workers that waited for a device; looks for sockets as well. */
  private Blocked blocked(Window window) {
    int looks = Math.min(LOOKS, workers.size());
    int stacks = STACKS;
    int seen = 0;
    int blocked = 0;
    for (int i = 0; i < looks; i++) {
      Worker worker = workers.get(Math.floorMod(turn + i, workers.size()));
      Sample<TaskStat> stat = worker.stat.read();
      if (stat instanceof Sample.Value<TaskStat> read) {
        seen++;
        blocked += read.value().blocked() ? 1 : 0;
        if (read.value().state() == 'S' && stacks > 0) {
          stacks--;
          refuseIfInSocket(worker.thread);
        }
      }
    }
    turn += STACKS;
    if (delayAccounting) {
      long nanos = blockedOfLeft;
      for (Worker worker : workers) {
        nanos += newlyBlocked(worker);
      }
      return new Blocked(nanos / (window.seconds() * 1e9), BlockedSource.DELAY_ACCOUNTING);
    }
    return looks > 0 && seen == 0
        ? new Blocked(Double.NaN, BlockedSource.NONE)
        : new Blocked(
            seen == 0 ? 0 : (double) blocked / seen * workers.size(), BlockedSource.STATE_SAMPLES);
  }

  private void refuseIfInSocket(Thread thread) {
    SocketCalls.of(thread)
        .ifPresent(
            call ->
                refuse(
                    "disk throughput refused: worker '%s' was seen in %s, and the kernel counts bytes"
                            .formatted(thread.getName(), call)
                        + " of sockets and files alike; give calls to a network a pool of their"
                        + " own"));
  }
}
