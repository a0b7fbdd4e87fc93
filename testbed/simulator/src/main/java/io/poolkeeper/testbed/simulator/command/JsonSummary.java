package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
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
    document.put(
        "requests", summary.requests().stream().map(each -> requests(each, file)).toList());
    document.put("pools", summary.pools().stream().map(this::pools).toList());
    document.put("stations", summary.stations().stream().map(this::stations).toList());
    summary.whole().ifPresent(result -> document.put("series", series(result)));
    return document;
  }

  /** The course of a run batch by batch; each list has one value a batch. */
  private static Map<String, Object> series(Result result) {
    int batches = result.requests().get(0).rates().size();
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("interval_s", batches == 0 ? null : result.seconds() / batches);
    document.put(
        "requests",
        result.requests().stream()
            .map(
                each ->
                    listed(
                        Map.of("clients", each.clients(), "request", each.request()),
                        Map.of("throughput_per_s", each.rates(), "goodput_per_s", each.goodputs())))
            .toList());
    document.put(
        "pools",
        result.pools().stream()
            .map(
                each ->
                    listed(
                        Map.of("pool", each.name()),
                        Map.of("busy", each.busySeries(), "queue", each.queueSeries())))
            .toList());
    document.put(
        "stations",
        result.stations().stream()
            .map(
                each ->
                    listed(
                        Map.of("station", each.name()),
                        Map.of("utilisation", each.utilisationSeries())))
            .toList());
    return document;
  }

  private static Map<String, Object> listed(Map<String, String> names, Map<String, List<?>> lists) {
    Map<String, Object> document = new TreeMap<>(names);
    document.putAll(lists);
    return document;
  }

  private Map<String, Object> requests(Summary.Requests each, ModelFile file) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("clients", each.clients());
    document.put("request", each.request());
    document.put("throughput_per_s", figure(each.throughput()));
    document.put("failed", figure(each.failed()));
    document.put("response_s", times(each.response()));
    List<Map<String, Object>> goodputs = new ArrayList<>();
    for (int i = 0; i < each.goodput().size(); i++) {
      Map<String, Object> goodput = new LinkedHashMap<>();
      goodput.put("bound_s", file.run().bounds().get(i));
      goodput.putAll(figure(each.goodput().get(i)));
      goodputs.add(goodput);
    }
    document.put("goodput_per_s", goodputs);
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
