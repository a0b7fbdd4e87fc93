package io.poolkeeper.testbed.simulator.engine.measure;

import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Meter of one request, as clients of one source see it. */
public final class RequestMeter {

  private final String clients;
  private final String request;
  private final TimesBatches times;
  private final @Nullable ResponseListener listener;
  private final List<Double> rates = new ArrayList<>();
  private long since;
  private long batchSince;
  private long failures;

  public RequestMeter(
      String clients, String request, int digits, @Nullable ResponseListener listener) {
    this.clients = clients;
    this.request = request;
    this.listener = listener;
    times = new TimesBatches(digits);
  }

  public void ended(long arrived, boolean failed, long now) {
    if (failed) {
      failures++;
    } else {
      times.record(now - arrived);
    }
    if (listener != null) {
      listener.answered(clients, request, arrived, now, failed);
    }
  }

  /** Forgets the warm-up. */
  public void restart(long now) {
    times.reset();
    rates.clear();
    since = now;
    batchSince = now;
    failures = 0;
  }

  public void endBatch(long now) {
    if (now > batchSince) {
      rates.add(times.batchCount() / Time.seconds(now - batchSince));
      times.endBatch();
      batchSince = now;
    }
  }

  /** Of the batches that have ended. */
  public RequestStats stats() {
    double seconds = Time.seconds(batchSince - since);
    var estimate = times.estimate();
    return new RequestStats(
        clients,
        request,
        estimate.count(),
        failures,
        Estimate.centredOn(
            estimate.count() / seconds, rates.stream().mapToDouble(Double::doubleValue).toArray()),
        estimate);
  }
}
