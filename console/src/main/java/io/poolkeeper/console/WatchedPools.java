package io.poolkeeper.console;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** The pools of a console, by name. */
final class WatchedPools implements AutoCloseable {

  private final Map<String, WatchedPool> pools = new ConcurrentSkipListMap<>();

  /** Adds a pool; it takes the place of a closed one of its name. */
  void add(WatchedPool pool) {
    pools.compute(
        pool.name(),
        (name, before) -> {
          if (before != null && !before.closed()) {
            throw new IllegalArgumentException(
                "a pool named '" + name + "' is watched already; names must differ");
          }
          return pool;
        });
    pool.begin();
  }

  List<WatchedPool> all() {
    return List.copyOf(pools.values());
  }

  Optional<WatchedPool> find(String name) {
    return Optional.ofNullable(pools.get(name));
  }

  @Override
  public void close() {
    pools.values().forEach(WatchedPool::forget);
    pools.clear();
  }
}
