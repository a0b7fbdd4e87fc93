package io.poolkeeper.spring;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Hang;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.lang.Nullable;

/** Watches the pools of a service as they start, for its console and its actuator. */
final class PoolWatcher implements ControlListener, AutoCloseable {

  private final PoolMonitor monitor = new PoolMonitor();
  private final Map<Resizable, ControlListener> watched = new ConcurrentHashMap<>();

  private volatile @Nullable Pools pools;

  /** Watches these pools from now on. */
  void watch(Pools watched) {
    pools = watched;
    watched.listen(this);
  }

  PoolMonitor monitor() {
    return monitor;
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    ControlListener listener = watched.get(pool);
    if (listener == null) {
      listener = watch(pool, window);
    }
    if (listener != null) {
      listener.onWindow(pool, window);
    }
  }

  /**
   * Begins to watch a pool; null, and the next window tries again, where its loop cannot be found
   * yet, or an older pool of the name is not closed yet.
   */
  private @Nullable ControlListener watch(Resizable pool, Window window) {
    ControlLoop loop =
        Optional.ofNullable(pools)
            .flatMap(all -> all.find(pool.name()))
            .flatMap(TunedPool::loop)
            .orElse(null);
    if (loop == null) {
      return null;
    }
    // Without a decision on an earlier window, nothing that the controller knows is missed.
    boolean first = loop.lastStep().map(step -> step.window().equals(window)).orElse(true);
    ControlListener listener = monitor.add(pool, loop, first);
    watched.put(pool, listener);
    return listener;
  }

  @Override
  public void onStep(Resizable pool, Step step) {
    Optional.ofNullable(watched.get(pool)).ifPresent(listener -> listener.onStep(pool, step));
  }

  @Override
  public void onHang(Resizable pool, Hang hang) {
    Optional.ofNullable(watched.get(pool)).ifPresent(listener -> listener.onHang(pool, hang));
  }

  @Override
  public void onBounds(Resizable pool, Bounds bounds) {
    Optional.ofNullable(watched.get(pool)).ifPresent(listener -> listener.onBounds(pool, bounds));
  }

  @Override
  public void onClose(Resizable pool) {
    Optional.ofNullable(watched.remove(pool)).ifPresent(listener -> listener.onClose(pool));
  }

  @Override
  public void close() {
    monitor.close();
  }
}
