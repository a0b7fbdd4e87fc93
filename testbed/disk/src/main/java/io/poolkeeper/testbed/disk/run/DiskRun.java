package io.poolkeeper.testbed.disk.run;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.linux.NamedThreads;
import io.poolkeeper.linux.Proc;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PolicyExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs the jobs of some phases on a pool, and sums up its windows. */
final class DiskRun {

  /**
   * Result of a run.
   *
   * @param seconds from the first arrival to the last end
   * @param threadSeconds size of the pool times seconds
   * @param failed jobs that failed
   * @param failure message of the first that failed; null if none did
   * @param logicalBytes bytes of read and write calls
   * @param readBytes bytes fetched from the device
   * @param writtenBytes bytes written
   * @param blockedSeconds thread-seconds in waits for the device; NaN where nothing tells
   * @param blockedSource origin of that
   * @param unmeasured windows without disk figures
   * @param problem why, for the first of them; null if there is none
   * @param figures jobs per second and delays of other virtual threads; empty on a JDK without
   */
  record Result(
      double seconds,
      double threadSeconds,
      int failed,
      @Nullable String failure,
      long logicalBytes,
      long readBytes,
      long writtenBytes,
      double blockedSeconds,
      String blockedSource,
      int unmeasured,
      @Nullable String problem,
      Map<String, Double> figures) {

    double meanSize() {
      return threadSeconds / seconds;
    }
  }

  /** Beginning of the names of the JDK's carriers, as the virtual machine shortens them. */
  private static final String CARRIER = "ForkJoi";

  private final List<Phase<PhaseWork>> phases;
  private final SourceFiles files;
  private final JobThreads threads;
  private final @Nullable NamedThreads carriers;
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private final List<Window> windows = new ArrayList<>();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
  private long start;
  private long end;

  DiskRun(List<Phase<PhaseWork>> phases, SourceFiles files, JobThreads threads) {
    this.phases = phases;
    this.files = files;
    this.threads = threads;
    // Virtual threads have those of the JDK's scheduler in place of the pool's.
    carriers =
        threads == JobThreads.VIRTUAL
            ? new NamedThreads(Proc.ofMachine(), name -> name.startsWith(CARRIER))
            : null;
  }

  /** Runs on a pool whose loop decides its size; once. */
  Result run(AdaptiveExecutor.Builder settings) throws IOException, InterruptedException {
    try (AdaptiveExecutor pool = settings.listener(new Windows()).build()) {
      submit(pool);
    }
    return sum();
  }

  /** Runs on a pool whose size a policy decides at the events of tasks; once. */
  Result run(AdaptiveExecutor.Builder settings, EventPolicy policy)
      throws IOException, InterruptedException {
    try (PolicyExecutor pool = PolicyExecutor.start(settings.listener(new Windows()), policy)) {
      submit(pool);
    }
    return sum();
  }

  private final class Windows implements ControlListener {
    @Override
    public void onWindow(Resizable pool, Window window) {
      synchronized (windows) {
        windows.add(carriers == null ? window : ofCarriers(window, carriers.measure()));
      }
    }
  }

  private static Window ofCarriers(Window window, NamedThreads.Usage usage) {
    return Window.builder(window.start(), window.end(), usage.threads()).disk(usage.disk()).build();
  }

  private void submit(ExecutorService pool) throws IOException, InterruptedException {
    if (!JobThreads.available()) {
      submitTo(pool);
      return;
    }
    ExecutorService virtual = JobThreads.virtualThreads();
    DelayProbe probe = new DelayProbe();
    submitTo(threads.jobs(pool, virtual));
    figures.put("jobs/s", phases.stream().mapToInt(Phase::jobs).sum() * 1e9 / (end - start));
    figures.putAll(probe.end());
    virtual.shutdown();
  }

  private void submitTo(Executor pool) throws IOException, InterruptedException {
    int jobs = phases.stream().mapToInt(Phase::jobs).sum();
    CountDownLatch done = new CountDownLatch(jobs);
    start = System.nanoTime();
    int job = 0;
    List<PhaseNeighbour> neighbours = new ArrayList<>();
    for (Phase<PhaseWork> phase : phases) {
      PhaseNeighbour neighbour =
          phase.workload().neighbour() ? new PhaseNeighbour(files.folder(), phase.jobs()) : null;
      if (neighbour != null) {
        neighbours.add(neighbour);
      }
      long due = System.nanoTime();
      for (int i = 0; i < phase.jobs(); i++) {
        waitUntil(due + i * phase.gapNanos());
        int number = job++;
        pool.execute(
            () -> {
              if (neighbour != null) {
                neighbour.jobStarts();
              }
              doJob(phase.workload().workload(), number);
              if (neighbour != null) {
                neighbour.jobEnded();
              }
              done.countDown();
            });
      }
    }
    done.await();
    end = System.nanoTime();
    for (PhaseNeighbour neighbour : neighbours) {
      neighbour.await();
    }
  }

  private void doJob(Workload workload, int number) {
    try {
      workload.run(files.source(number), files.copy(number));
    } catch (IOException | RuntimeException | Error e) {
      failed.incrementAndGet();
      failure.compareAndSet(null, e.toString());
    }
  }

  private static void waitUntil(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private Result sum() {
    double threadSeconds = 0;
    double blockedSeconds = 0;
    long logical = 0;
    long read = 0;
    long written = 0;
    int unmeasured = 0;
    String problem = null;
    String source = "none";
    synchronized (windows) {
      for (Window window : windows) {
        long from = Math.max(start, window.start());
        long until = Math.min(end, window.end());
        threadSeconds += window.size() * Math.max(0, until - from) / 1e9;
        if (!window.disk().measured()) {
          unmeasured++;
          problem = problem == null ? window.disk().problem().orElse(null) : problem;
          continue;
        }
        logical += window.disk().logicalBytes();
        read += window.disk().readBytes();
        written += window.disk().writtenBytes();
        blockedSeconds += window.disk().blocked() * window.seconds();
        source = window.disk().source().toString();
      }
    }
    return new Result(
        (end - start) / 1e9,
        threadSeconds,
        failed.get(),
        failure.get(),
        logical,
        read,
        written,
        blockedSeconds,
        source,
        unmeasured,
        problem,
        figures);
  }
}
