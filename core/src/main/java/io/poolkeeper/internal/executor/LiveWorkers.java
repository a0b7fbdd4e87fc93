package io.poolkeeper.internal.executor;

import io.poolkeeper.Window;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live workers of a pool, and the sums of those that have left. Adding and removing takes no
 * memory. Not thread-safe: {@link Workers} guards it.
 */
final class LiveWorkers {

  private @Nullable Worker first;
  private long completedByGone;
  private long busyOfGone;
  private long cpuOfGone;

  void add(Worker worker) {
    worker.nextAlive = first;
    first = worker;
  }

  /** Removes a worker that has run nothing; false if it is absent. */
  boolean remove(Worker worker) {
    Worker before = null;
    for (Worker each = first; each != null; each = each.nextAlive) {
      if (each == worker) {
        if (before == null) {
          first = worker.nextAlive;
        } else {
          before.nextAlive = worker.nextAlive;
        }
        return true;
      }
      before = each;
    }
    return false;
  }

  /** Removes the worker of this thread, and keeps its sums. */
  void removeForGood(Worker worker, boolean measureCpu) {
    remove(worker);
    completedByGone += worker.completed();
    busyOfGone += worker.busyUpToNow();
    cpuOfGone += measureCpu ? worker.newCpuTime() : 0;
  }

  void interrupt() {
    for (Worker each = first; each != null; each = each.nextAlive) {
      each.thread().interrupt();
    }
  }

  /** Reports a failed task to the worker of a thread, whose own task may have wrapped it. */
  void failed(Thread thread, Runnable inner) {
    for (Worker each = first; each != null; each = each.nextAlive) {
      if (each.thread() == thread) {
        each.failed(inner);
      }
    }
  }

  /** Determines at the end of a window which tasks are resident; returns their number. */
  int review(long now, long ended, long longest) {
    int residents = 0;
    for (Worker each = first; each != null; each = each.nextAlive) {
      each.review(now, ended, longest);
      residents += each.resident ? 1 : 0;
    }
    return residents;
  }

  /**
   * Declares tasks resident that block all others, the longest running first.
   *
   * @param least shortest run time, nanoseconds
   * @param most largest number of them
   * @return number of tasks declared resident
   */
  int declareResident(long least, int most) {
    int declared = 0;
    Worker longest = longestHanging();
    while (longest != null && longest.hangingFor() >= least && declared < most) {
      longest.declareResident();
      declared++;
      longest = longestHanging();
    }
    return declared;
  }

  private @Nullable Worker longestHanging() {
    Worker longest = null;
    for (Worker each = first; each != null; each = each.nextAlive) {
      if (each.hangingFor() > (longest == null ? 0 : longest.hangingFor())) {
        longest = each;
      }
    }
    return longest;
  }

  int running() {
    int running = 0;
    for (Worker each = first; each != null; each = each.nextAlive) {
      running += each.inTask() ? 1 : 0;
    }
    return running;
  }

  long completed() {
    long completed = completedByGone;
    for (Worker each = first; each != null; each = each.nextAlive) {
      completed += each.completed();
    }
    return completed;
  }

  List<Thread> threads() {
    List<Thread> threads = new ArrayList<>();
    for (Worker each = first; each != null; each = each.nextAlive) {
      threads.add(each.thread());
    }
    return threads;
  }

  Workers.Usage usage(long now, boolean measureCpu) {
    long busy = busyOfGone;
    long cpu = cpuOfGone;
    int running = 0;
    for (Worker each = first; each != null; each = each.nextAlive) {
      long newlyBusy = each.newlyBusy(now);
      long newCpuTime = measureCpu ? each.newCpuTime() : 0;
      if (!each.resident) {
        busy += newlyBusy;
        cpu += newCpuTime;
        running += each.inTask() ? 1 : 0;
      }
    }
    busyOfGone = 0;
    cpuOfGone = 0;
    return new Workers.Usage(busy, running, measureCpu ? cpu : Window.NOT_MEASURED);
  }
}
