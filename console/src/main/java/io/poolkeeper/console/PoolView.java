package io.poolkeeper.console;

import io.poolkeeper.Window;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    pool.loop().lastWindow().ifPresent(window -> line.put("window", window(window)));
    PoolHistory.Decided last = pool.history().last();
    if (last != null) {
      line.put("decision", last);
    }
    return line;
  }

  private static Point window(Window window) {
    return Point.of(System.currentTimeMillis(), window);
  }

  /** All that is known of a pool. */
  static Map<String, Object> whole(WatchedPool pool) {
    Map<String, Object> whole = line(pool);
    whole.put("earlier", pool.history().bins());
    whole.put("news", pool.history().news(0, 0));
    whole.put("audit", pool.audit());
    return whole;
  }
}
