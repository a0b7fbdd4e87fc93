package io.poolkeeper.console;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** The pools of a console, by name. */
final class WatchedPools implements AutoCloseable {

  /** Closed pools that stay on the page: a program may make pools of new names again and again. */
  static final int LARGEST_CLOSED = 20;

  private final Map<String, WatchedPool> pools = new ConcurrentSkipListMap<>();

  /**
   * Adds a pool; it takes the place of a closed one of its name, and of the one that was closed
   * first where there are many.
   */
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
    forgetClosed();
    int windows = Math.min(PoolRecord.LARGEST, PoolRecord.LARGEST_OF_ALL / pools.size());
    all().forEach(watched -> watched.record().limit(Math.max(1, windows)));
  }

  private void forgetClosed() {
    long now = System.nanoTime();
    pools.values().stream()
        .filter(WatchedPool::closed)
        .sorted(Comparator.comparingLong(pool -> now - pool.closedAt()))
        .skip(LARGEST_CLOSED)
        .forEach(pool -> pools.remove(pool.name(), pool));
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
