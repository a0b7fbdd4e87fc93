package io.poolkeeper.micrometer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The series of a scrape in Prometheus' text format. */
final class Scrape {

  /** Labels that the server adds to each series. */
  private static final Set<String> OF_SERVER = Set.of("job", "instance");

  private static final Pattern LINE = Pattern.compile("([a-zA-Z0-9_:]+)(?:\\{(.*)\\})? \\S+.*");

  private static final Pattern LABEL = Pattern.compile("([a-zA-Z0-9_]+)=\"([^\"]*)\"");

  private final Map<String, List<Map<String, String>>> series = new HashMap<>();

  Scrape(String text) {
    text.lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              Matcher sample = LINE.matcher(line);
              if (!sample.matches()) {
                throw new IllegalArgumentException("no sample: " + line);
              }
              Map<String, String> labels = new HashMap<>();
              if (sample.group(2) != null) {
                Matcher label = LABEL.matcher(sample.group(2));
                while (label.find()) {
                  labels.put(label.group(1), label.group(2));
                }
              }
              series.computeIfAbsent(sample.group(1), name -> new ArrayList<>()).add(labels);
            });
  }

  /** Faults of a query: metrics, labels and values that no series has. */
  List<String> faults(String query) {
    List<String> faults = new ArrayList<>();
    for (PromQl.Selector selector : PromQl.selectors(query)) {
      List<Map<String, String>> all = series.get(selector.metric());
      if (all == null) {
        faults.add("no metric " + selector.metric());
        continue;
      }
      Set<String> labels = new LinkedHashSet<>(selector.labels());
      labels.removeAll(OF_SERVER);
      for (String label : labels) {
        if (all.stream().noneMatch(sample -> sample.containsKey(label))) {
          faults.add("no label " + label + " of " + selector.metric());
        }
      }
      selector
          .equal()
          .forEach(
              (label, values) -> {
                for (String value : values.split("\\|", -1)) {
                  if (all.stream().noneMatch(sample -> value.equals(sample.get(label)))) {
                    faults.add("no " + label + "=" + value + " of " + selector.metric());
                  }
                }
              });
    }
    return faults;
  }
}
