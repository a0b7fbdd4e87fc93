package io.poolkeeper.agroal;

import io.agroal.api.AgroalDataSourceListener;
import io.poolkeeper.spi.TaskMeter;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The callers that wait for a connection, and the connections in use. */
final class Leases implements AgroalDataSourceListener {

  /** Time-outs are told by nobody, and are taken for such after this time, nanoseconds. */
  private static final long SLACK = 1_000_000_000;

  /** When each thread that waits began to. A thread waits for one connection at a time. */
  private final Map<Thread, Long> waiting = new ConcurrentHashMap<>();

  private final Map<Connection, TaskMeter.Run> inUse =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private @Nullable TaskMeter meter;

  void feed(TaskMeter meter) {
    this.meter = meter;
  }

  private TaskMeter meter() {
    return Objects.requireNonNull(meter, "fed before the data source opens");
  }

  int waiting() {
    return waiting.size();
  }

  int inUse() {
    return inUse.size();
  }

  @Override
  public void beforeConnectionAcquire() {
    if (Thread.currentThread() instanceof Helper) {
      return;
    }
    long now = System.nanoTime();
    Long before = waiting.put(Thread.currentThread(), now);
    if (before != null) { // It got none, or we would have heard.
      meter().refused(now - before);
    }
  }

  @Override
  public void onConnectionAcquire(Connection connection) {
    Long arrival = waiting.remove(Thread.currentThread());
    if (arrival != null) {
      inUse.put(connection, meter().began(System.nanoTime() - arrival));
    }
  }

  @Override
  public void beforeConnectionReturn(Connection connection) {
    TaskMeter.Run run = inUse.remove(connection);
    if (run != null) {
      run.completed();
    }
  }

  /** Gives up those who have waited longer than they could. */
  void timeOut(Duration patience) {
    if (patience.isZero()) {
      return; // They wait for ever.
    }
    long now = System.nanoTime();
    waiting.forEach(
        (thread, arrival) -> {
          if (now - arrival > patience.toNanos() + SLACK && waiting.remove(thread, arrival)) {
            meter().refused(now - arrival);
          }
        });
  }

  /** A thread whose use of connections is nobody's task. */
  static final class Helper extends Thread {
    Helper(Runnable body) {
      super(body, "poolkeeper-agroal");
      setDaemon(true);
    }
  }
}
