package io.poolkeeper.testbed.simulator.engine.measure;

import io.poolkeeper.testbed.simulator.engine.Settings;
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
  private final List<Long> bounds;
  private final List<List<Double>> goodputs = new ArrayList<>();
  private long since;
  private long batchSince;
  private long failures;

  public RequestMeter(String clients, String request, Settings settings) {
    this.clients = clients;
    this.request = request;
    this.listener = settings.listener();
    times = new TimesBatches(settings.digits());
    bounds = settings.bounds();
    bounds.forEach(bound -> goodputs.add(new ArrayList<>()));
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
    goodputs.forEach(List::clear);
    since = now;
    batchSince = now;
    failures = 0;
  }

  public void endBatch(long now) {
    if (now > batchSince) {
      double seconds = Time.seconds(now - batchSince);
      rates.add(times.batchCount() / seconds);
      for (int i = 0; i < bounds.size(); i++) {
        goodputs.get(i).add(times.batchWithin(bounds.get(i)) / seconds);
      }
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
        estimate,
        List.copyOf(rates),
        goodputs.stream().map(List::copyOf).toList());
  }
}
