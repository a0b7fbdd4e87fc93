package io.tidepool.testbed.load.run;

import io.tidepool.testbed.load.description.LoadDescription;
import io.tidepool.testbed.load.http.Target;
import io.tidepool.testbed.load.measure.IntervalMerger;
import io.tidepool.testbed.load.measure.LoopRecorder;
import io.tidepool.testbed.load.measure.RunListener;
import io.tidepool.testbed.load.measure.SampleSink;
import io.tidepool.testbed.load.measure.Summary;
import io.tidepool.testbed.load.measure.SummaryBuilder;
import io.tidepool.testbed.load.traffic.Share;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One run of a load: starts the load threads, puts together what they count, and passes it on
 * interval by interval.
 */
public final class LoadRun {

  private static final long PROBE_INTERVAL = TimeUnit.MILLISECONDS.toNanos(50);

  private final LoadDescription load;
  private final int threads;
  private final RunListener listener;
  private final List<LoadLoop> loops = new ArrayList<>();
  private final BlockingQueue<LoopRecorder.Part> parts = new LinkedBlockingQueue<>();
  private final AtomicReference<@Nullable Throwable> death = new AtomicReference<>();
  private volatile boolean stopped;

  /**
   * @param threads load threads, 1 or more
   * @param samples gets every single request, if there is one
   * @throws IOException if there are not enough resources for a selector
   */
  public LoadRun(
      LoadDescription load,
      Target target,
      int threads,
      @Nullable SampleSink samples,
      RunListener listener)
      throws IOException {
    this.load = load;
    this.threads = threads;
    this.listener = listener;
    AtomicInteger underWay = new AtomicInteger();
    for (int thread = 0; thread < threads; thread++) {
      LoopRecorder recorder = new LoopRecorder(load, parts::add, samples);
      loops.add(new LoadLoop(load, new Share(thread, threads), target, recorder, underWay));
    }
  }

  /**
   * Runs the load to its end.
   *
   * @throws IllegalStateException if a load thread died
   */
  public Summary run() throws InterruptedException {
    long start = System.nanoTime();
    listener.begins(start, System.currentTimeMillis());
    List<Thread> running = new ArrayList<>();
    for (LoadLoop loop : loops) {
      Thread thread = new Thread(() -> run(loop, start), "load-" + running.size());
      thread.start();
      running.add(thread);
    }
    try {
      Summary summary = collect(start);
      for (Thread thread : running) {
        thread.join();
      }
      return summary;
    } finally {
      loops.forEach(LoadLoop::stop);
    }
  }

  private void run(LoadLoop loop, long start) {
    try {
      loop.run(start);
    } catch (Throwable e) { // Whatever it is, the run must end and say so.
      death.compareAndSet(null, e);
    }
  }

  private Summary collect(long start) throws InterruptedException {
    IntervalMerger merger = new IntervalMerger(load, threads, start);
    SummaryBuilder summary = new SummaryBuilder(load, threads, start);
    long nextProbe = start;
    while (!merger.finished()) {
      if (death.get() != null) {
        throw new IllegalStateException("a load thread died of " + death.get(), death.get());
      }
      long now = System.nanoTime();
      if (nextProbe <= now) {
        loops.forEach(LoadLoop::probe);
        nextProbe = now + PROBE_INTERVAL;
      }
      LoopRecorder.Part part = parts.poll(nextProbe - now, TimeUnit.NANOSECONDS);
      if (part != null) {
        merger
            .add(part)
            .ifPresent(
                interval -> {
                  summary.add(interval);
                  listener.ended(interval);
                });
      }
    }
    return summary.build(stopped);
  }

  /**
   * Ends the load at once; requests under way count as unfinished. Any thread may call it, at any
   * time.
   */
  public void stop() {
    stopped = true;
    loops.forEach(LoadLoop::stop);
  }
}
