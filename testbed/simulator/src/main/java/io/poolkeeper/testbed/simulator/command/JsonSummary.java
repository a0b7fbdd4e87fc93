package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Results for programs: times in seconds, each figure with value, half width, samples. */
final class JsonSummary {

  private final double level;

  private JsonSummary(double level) {
    this.level = level;
  }

  /** A document ready to be written as JSON. */
  static Map<String, Object> of(ModelFile file, Summary summary, List<String> warnings) {
    return new JsonSummary(file.run().confidence()).document(file, summary, warnings);
  }

  private Map<String, Object> document(ModelFile file, Summary summary, List<String> warnings) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("model", file.name());
    document.put("question", file.question());
    document.put("method", summary.method().name().toLowerCase(Locale.ROOT));
    document.put("confidence", level);
    document.put("runs", summary.runs());
    document.put("seconds", summary.seconds());
    document.put("warm_up_s", file.run().warmUp());
    document.put("seed", file.run().seed());
    document.put("events", summary.events());
    document.put("warnings", warnings);
    document.put("requests", summary.requests().stream().map(this::requests).toList());
    document.put("pools", summary.pools().stream().map(this::pools).toList());
    document.put("stations", summary.stations().stream().map(this::stations).toList());
    return document;
  }

  private Map<String, Object> requests(Summary.Requests each) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("clients", each.clients());
    document.put("request", each.request());
    document.put("throughput_per_s", figure(each.throughput()));
    document.put("failed", figure(each.failed()));
    document.put("response_s", times(each.response()));
    return document;
  }

  private Map<String, Object> pools(Summary.Pools each) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("pool", each.name());
    document.put("size", figure(each.size()));
    document.put("busy", figure(each.busy()));
    document.put("utilisation", figure(each.utilisation()));
    document.put("queue", figure(each.queue()));
    document.put("throughput_per_s", figure(each.throughput()));
    document.put("refused", figure(each.refused()));
    document.put("wait_s", times(each.queueWait()));
    document.put("service_s", times(each.serviceTime()));
    return document;
  }

  private Map<String, Object> stations(Summary.Stations each) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("station", each.name());
    document.put("utilisation", figure(each.utilisation()));
    document.put("present", figure(each.present()));
    return document;
  }

  private Map<String, Object> times(Summary.Times times) {
    Map<String, Object> document = new LinkedHashMap<>();
    List<String> names = List.of("mean", "p50", "p90", "p95", "p99", "p999");
    List<Estimate> values =
        List.of(times.mean(), times.p50(), times.p90(), times.p95(), times.p99(), times.p999());
    for (int i = 0; i < names.size(); i++) {
      document.put(names.get(i), figure(values.get(i)));
    }
    return document;
  }

  /** JSON knows no NaN: what is not known is null. */
  private Map<String, Object> figure(Estimate estimate) {
    Map<String, Object> figure = new LinkedHashMap<>();
    figure.put("value", finite(estimate.value()));
    figure.put("half_width", finite(estimate.halfWidth(level)));
    figure.put("standard_error", finite(estimate.standardError()));
    figure.put("samples", estimate.samples());
    return figure;
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
