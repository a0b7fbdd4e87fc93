package io.poolkeeper.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Meters of tuned pools in a Micrometer registry. It is a listener, of one pool or of many:
 *
 * <pre>{@code
 * var meters = new PoolMeters(registry);
 * var pool = AdaptiveExecutor.builder("orders").listener(meters).build();
 * connections.control().listen(meters);
 * }</pre>
 *
 * <p>A pool's meters appear with its first window and disappear with its loop. They have the tag
 * {@code name}, and pools of one registry should have different names: of two, the newer one has
 * the meters. docs/integrations.md lists them. Counts and times add up over windows, so that rates
 * and means hold over any range; percentiles and levels are those of the last window.
 */
public final class PoolMeters implements ControlListener {

  private final MeterRegistry registry;
  private final List<Tag> tags;
  private final Map<Resizable, MetersOfPool> ofPools = new ConcurrentHashMap<>();
  private final Map<String, MetersOfPool> ofNames = new ConcurrentHashMap<>();

  /** Meters with the tag {@code name} alone. */
  public PoolMeters(MeterRegistry registry) {
    this(registry, List.of());
  }

  /**
   * Meters with further tags.
   *
   * @param tags those that all of them get besides {@code name}
   */
  public PoolMeters(MeterRegistry registry, Iterable<Tag> tags) {
    this.registry = registry;
    this.tags = new ArrayList<>();
    tags.forEach(this.tags::add);
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    metersOf(pool).add(window);
  }

  @Override
  public void onStep(Resizable pool, Step step) {
    metersOf(pool).add(step);
  }

  @Override
  public void onClose(Resizable pool) {
    MetersOfPool meters = ofPools.remove(pool);
    if (meters != null && ofNames.remove(pool.name(), meters)) {
      meters.remove();
    }
  }

  private MetersOfPool metersOf(Resizable pool) {
    MetersOfPool present = ofPools.get(pool);
    if (present != null) {
      return present;
    }
    MetersOfPool made = new MetersOfPool(pool, registry, tags);
    MetersOfPool older = ofNames.put(pool.name(), made);
    if (older != null) { // It ends just now, and would keep the new one's meters from appearing.
      older.remove();
    }
    made.register();
    ofPools.put(pool, made);
    return made;
  }
}
