package io.poolkeeper.testbed.load.run;

import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.measure.LoopRecorder;
import io.poolkeeper.testbed.load.measure.MeasurementStart;
import io.poolkeeper.testbed.load.measure.RunListener;
import io.poolkeeper.testbed.load.measure.SampleSink;
import io.poolkeeper.testbed.load.measure.Summary;
import io.poolkeeper.testbed.load.traffic.Share;
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
 *
 * <p>A warm-up is the beginning of the same stream of requests: the threads go on over the border
 * with the connections and clients that they have, and count on the other side of it. What was
 * begun in the warm-up and is answered later is measured like everything that is answered then.
 */
public final class LoadRun {

  private static final long PROBE_INTERVAL = TimeUnit.MILLISECONDS.toNanos(50);

  /** From when the border is known until it is there, longer than it takes to make it known. */
  private static final long NOTICE = TimeUnit.MILLISECONDS.toNanos(5);

  private final LoadDescription load;
  private final int threads;
  private final boolean warmsUp;
  private final RunListener listener;
  private final MeasurementStart beginning = new MeasurementStart();
  private final List<LoadLoop> loops = new ArrayList<>();
  private final BlockingQueue<LoopRecorder.Part> parts = new LinkedBlockingQueue<>();
  private final AtomicReference<@Nullable Throwable> death = new AtomicReference<>();
  private volatile boolean warm;
  private volatile boolean stopped;

  /**
   * @param threads load threads, 1 or more
   * @param warmsUp whether it begins with a warm-up, until {@link #measure} is called
   * @param samples gets every single request, if there is one
   * @throws IOException if there are not enough resources for a selector
   */
  public LoadRun(
      LoadDescription load,
      Target target,
      int threads,
      boolean warmsUp,
      @Nullable SampleSink samples,
      RunListener listener)
      throws IOException {
    this.load = load;
    this.threads = threads;
    this.warmsUp = warmsUp;
    this.listener = listener;
    AtomicInteger underWay = new AtomicInteger();
    for (int thread = 0; thread < threads; thread++) {
      LoopRecorder recorder = new LoopRecorder(load, beginning, parts::add, samples);
      Share share = new Share(thread, threads);
      loops.add(new LoadLoop(load, share, target, beginning, recorder, underWay));
    }
  }

  /**
   * Runs the load to its end.
   *
   * @throws IllegalStateException if a load thread died
   */
  public Summary run() throws InterruptedException {
    long start = System.nanoTime();
    long wall = System.currentTimeMillis();
    if (warmsUp) {
      listener.warmsUp(start, wall);
    } else {
      beginning.set(start);
      listener.begins(start, wall);
    }
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
    Stage warmUp = new Stage(load.warmUp(), threads, start, listener::warmedUp);
    Stage measured = warmsUp ? null : new Stage(load, threads, start, listener::ended);
    long nextProbe = start;
    while (measured == null || !measured.finished()) {
      if (death.get() != null) {
        throw new IllegalStateException("a load thread died of " + death.get(), death.get());
      }
      if (measured == null && (warm || stopped)) {
        measured = new Stage(load, threads, begin(), listener::ended);
      }
      long now = System.nanoTime();
      if (nextProbe <= now) {
        loops.forEach(LoadLoop::probe);
        nextProbe = now + PROBE_INTERVAL;
      }
      LoopRecorder.Part part = parts.poll(nextProbe - now, TimeUnit.NANOSECONDS);
      if (part != null) {
        (part.warmUp() || measured == null ? warmUp : measured).add(part);
      }
    }
    return measured.summary(stopped);
  }

  /** Lets measuring begin; returns when it does. */
  private long begin() {
    long wall = System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(NOTICE);
    long border = System.nanoTime() + NOTICE;
    // Before any sample of it comes.
    listener.begins(border, wall);
    beginning.set(border);
    loops.forEach(LoadLoop::wakeUp);
    return border;
  }

  /** Ends the warm-up, if there is one. Any thread may call it, at any time. */
  public void measure() {
    warm = true;
  }

  /**
   * Ends the load at once, or its warm-up and then the load; requests under way count as
   * unfinished. Any thread may call it, at any time.
   */
  public void stop() {
    stopped = true;
    loops.forEach(LoadLoop::stop);
  }
}
