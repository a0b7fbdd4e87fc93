package io.poolkeeper.console;

import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.util.LinkedHashMap;
import java.util.Map;

/** A window with its counts and times, as a map that becomes JSON. Times are milliseconds. */
final class WindowView {

  private static final double NANOS_TO_MILLIS = 1e-6;

  private WindowView() {}

  static Map<String, Object> of(Window window) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("seconds", window.seconds());
    view.put("arrivals", window.arrivals());
    view.put("completions", window.completions());
    view.put("failures", window.failures());
    view.put("rejections", window.rejections());
    view.put("queueMax", window.queueMax());
    view.put("queueWait", times(window.queueWait()));
    view.put("serviceTime", times(window.serviceTime()));
    view.put("responseTime", times(window.responseTime()));
    return view;
  }

  /** Statistics of times; empty without a single one. */
  private static Map<String, Object> times(TimeStats times) {
    Map<String, Object> view = new LinkedHashMap<>();
    if (times.count() > 0 && Double.isFinite(times.mean())) {
      view.put("count", times.count());
      view.put("mean", times.mean() * NANOS_TO_MILLIS);
      view.put("p50", times.p50() * NANOS_TO_MILLIS);
      view.put("p99", times.p99() * NANOS_TO_MILLIS);
      view.put("max", times.max() * NANOS_TO_MILLIS);
    }
    return view;
  }
}
