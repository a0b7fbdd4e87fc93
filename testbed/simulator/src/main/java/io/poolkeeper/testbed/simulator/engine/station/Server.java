package io.poolkeeper.testbed.simulator.engine.station;

import java.util.ArrayList;
import java.util.List;

/** A station in a run: serves the tasks that enter it, and says when each is done. */
public abstract class Server {

  public final String name;

  /** Number of tasks that it serves at full speed; 0 where its rate is a curve. */
  public final int cores;

  private long since;
  private long statisticsSince;
  private double busyArea;
  private double presentArea;
  private double cpu;
  private long batchSince;
  private double batchBusy;
  private final List<Double> series = new ArrayList<>();
  private boolean measured = true;

  Server(String name, int cores) {
    this.name = name;
    this.cores = cores;
  }

  /** A task comes with this much work. */
  public abstract void enter(int task, double work, long now);

  /** Tasks in it, waiting ones included. */
  abstract int present();

  /** Tasks that are served. */
  abstract int served();

  /** Returns the part of its capacity that is in use now. */
  double busy() {
    return Math.min(served(), capacity());
  }

  /** Returns what is busy at most: its cores, or 1 where its rate is a curve. */
  double capacity() {
    return Math.max(1, cores);
  }

  /** CPU seconds used a second now. */
  abstract double cpuRate();

  /** Something about it is due. */
  public abstract void due(long now);

  /** A task that it had put on the calendar itself is done. */
  public void done(long now) {
    throw new IllegalStateException(name + " keeps its tasks itself");
  }

  /** Accounts for the time up to now; to be called before anything changes. */
  final void account(long now) {
    long elapsed = now - since;
    if (elapsed > 0) {
      busyArea += elapsed * busy();
      presentArea += (double) elapsed * present();
      cpu += elapsed * cpuRate();
      since = now;
    }
  }

  final void cpuNotMeasured() {
    measured = false;
  }

  public final boolean cpuMeasured() {
    return measured;
  }

  /** CPU nanoseconds used since the start. */
  public final double cpu(long now) {
    account(now);
    return cpu;
  }

  /** Begins the statistics anew. */
  public final void restart(long now) {
    account(now);
    statisticsSince = now;
    busyArea = 0;
    presentArea = 0;
    batchSince = now;
    batchBusy = 0;
    series.clear();
  }

  /** Ends a batch of the statistics. */
  public final void endBatch(long now) {
    account(now);
    if (now > batchSince) {
      series.add((busyArea - batchBusy) / (now - batchSince) / capacity());
      batchSince = now;
      batchBusy = busyArea;
    }
  }

  /** Mean fraction of its cores, of its quota, or of the time, that it was busy, in each batch. */
  public final List<Double> utilisationSeries() {
    return List.copyOf(series);
  }

  /** Mean fraction of its cores, of its quota, or of the time, that it was busy. */
  public final double utilisation(long now) {
    account(now);
    return busyArea / (now - statisticsSince) / capacity();
  }

  /** Mean number of tasks in it. */
  public final double meanPresent(long now) {
    account(now);
    return presentArea / (now - statisticsSince);
  }
}
