package io.poolkeeper.console;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Resizable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps what a {@link Console} shows of pools, and describes it in the documents of its page, which
 * another way to the program, such as an actuator, can give as well. Documents are maps, lists,
 * texts and numbers.
 */
public final class PoolMonitor implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> DOCUMENT = new TypeReference<>() {};

  private final WatchedPools pools = new WatchedPools();

  /** Makes a monitor without pools. */
  public PoolMonitor() {}

  WatchedPools watched() {
    return pools;
  }

  /**
   * Watches a pool until its loop is closed.
   *
   * @throws IllegalArgumentException if a pool of that name is watched already
   */
  public PoolMonitor watch(Resizable pool, ControlLoop loop) {
    WatchedPool watched = new WatchedPool(pool, loop);
    pools.add(watched);
    watched.begin();
    return this;
  }

  /**
   * Adds a pool whose events the caller passes on.
   *
   * @param fromStart whether the first of them is the first of the loop
   * @return listener that takes the events
   * @throws IllegalArgumentException if a pool of that name is watched already
   */
  public ControlListener add(Resizable pool, ControlLoop loop, boolean fromStart) {
    WatchedPool watched = new WatchedPool(pool, loop);
    if (!fromStart) {
      watched.record().truncate();
    }
    pools.add(watched);
    return watched;
  }

  /** Returns all pools, a line each, as in the document at {@code /api/pools} of the console. */
  public List<Map<String, Object>> pools() {
    return pools.all().stream().map(PoolView::line).map(PoolMonitor::document).toList();
  }

  /**
   * Returns all about a pool: the document at {@code /api/pool} of the console. Empty if none of
   * that name is watched.
   */
  public Optional<Map<String, Object>> pool(String name) {
    return pools.find(name).map(PoolView::whole).map(PoolMonitor::document);
  }

  /** Keeps a change by hand, which the console lists. */
  public void note(String name, String change) {
    pools.find(name).ifPresent(pool -> pool.note(change));
  }

  private static Map<String, Object> document(Map<String, Object> view) {
    return JSON.convertValue(view, DOCUMENT);
  }

  /** Forgets all pools. */
  @Override
  public void close() {
    pools.close();
  }
}
