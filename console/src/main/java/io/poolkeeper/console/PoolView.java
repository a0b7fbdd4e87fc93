package io.poolkeeper.console;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Decision;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pools as the page gets them: maps that become JSON. Times are milliseconds. */
final class PoolView {

  private PoolView() {}

  static Map<String, Object> list(List<WatchedPool> pools) {
    return Map.of("pools", pools.stream().map(PoolView::line).toList());
  }

  /** State of a pool in one line. */
  static Map<String, Object> line(WatchedPool pool) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("name", pool.name());
    line.put("closed", pool.closed());
    line.put("size", pool.size());
    line.put("min", pool.loop().bounds().minimum());
    line.put("max", pool.loop().bounds().maximum());
    line.put("lowestMin", pool.pool().bounds().minimum());
    line.put("highestMax", pool.pool().bounds().maximum());
    line.put("mode", pool.loop().mode().toString());
    line.put("controller", pool.loop().controller());
    pool.loop().objective().map(ObjectiveView::of).ifPresent(view -> line.put("objective", view));
    pool.pinnedUntil().ifPresent(until -> line.put("pinnedUntil", until));
    pool.newest().ifPresent(window -> line.put("window", window));
    PoolHistory.Decided last = pool.history().last();
    if (last != null) {
      line.put("decision", last);
    }
    return line;
  }

  /** All that is known of a pool. */
  static Map<String, Object> whole(WatchedPool pool) {
    Map<String, Object> whole = line(pool);
    whole.put("earlier", pool.history().bins());
    whole.put("news", pool.history().news(0, 0));
    whole.put("audit", pool.audit());
    pool.loop().lastWindow().ifPresent(last -> whole.put("lastWindow", WindowView.of(last)));
    whole.put("lastDecisions", pool.history().lastSteps().stream().map(PoolView::step).toList());
    return whole;
  }

  /** A decision with the numbers behind it; null for one that JSON does not know. */
  private static Map<String, Object> step(PoolHistory.DatedStep dated) {
    ControlListener.Step step = dated.step();
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("at", dated.at());
    view.put("action", step.action().toString());
    view.put("mode", step.mode().toString());
    view.put("before", step.before());
    view.put("after", step.after());
    view.put("reason", step.explanation());
    Decision decision = step.decision();
    if (decision != null) {
      Map<String, @Nullable Double> numbers = new LinkedHashMap<>();
      decision
          .numbers()
          .forEach((name, value) -> numbers.put(name, Double.isFinite(value) ? value : null));
      view.put("wanted", decision.size());
      view.put("numbers", numbers);
    }
    return view;
  }
}
