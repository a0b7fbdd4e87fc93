package io.poolkeeper.spring.pools;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Hang;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.PoolSettings;
import io.poolkeeper.spring.settings.PoolkeeperProperties;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** All tuned pools of a service. Their loops end with the context. */
public final class Pools implements AutoCloseable {

  /** Name of the pool of the web server. */
  public static final String WEB = "web";

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  private final PoolkeeperProperties properties;
  private final boolean jmx;
  private final Map<String, TunedPool> pools = new ConcurrentSkipListMap<>();
  private final Subscribers subscribers = new Subscribers();

  /** Whether it was told why the web server is left alone. */
  private volatile boolean webLeftAlone;

  /**
   * Makes an empty collection.
   *
   * @param jmx whether pools appear in JMX
   * @throws io.poolkeeper.spring.settings.InvalidSettingException if a property has an invalid
   *     value
   */
  public Pools(PoolkeeperProperties properties, boolean jmx) {
    PoolSettings.check(properties);
    this.properties = properties;
    this.jmx = jmx;
  }

  /** All pools, by name. */
  public Collection<TunedPool> all() {
    return List.copyOf(pools.values());
  }

  /** The pool of a name; empty if there is none. */
  public Optional<TunedPool> find(String name) {
    return Optional.ofNullable(pools.get(name));
  }

  /** Names of all pools. */
  public Collection<String> names() {
    return List.copyOf(pools.keySet());
  }

  /** Returns the pools with their sizes and modes in a line. */
  public String summary() {
    return pools.isEmpty()
        ? "nothing to tune: there is no web server, task executor or data source that can be tuned"
        : "tuned are "
            + pools.values().stream().map(TunedPool::summary).collect(Collectors.joining("; "));
  }

  /** Adds a listener to all pools, those of later included. */
  public void listen(ControlListener listener) {
    subscribers.listeners.add(listener);
  }

  /** Settings of a pool. */
  PoolSettings settings(String name) {
    return PoolSettings.of(properties, name);
  }

  /** All properties. */
  public PoolkeeperProperties properties() {
    return properties;
  }

  /** Returns whether pools appear in JMX. */
  boolean jmx() {
    return jmx;
  }

  /**
   * Adds a pool whose loop starts later.
   *
   * @param host largest size where none is configured
   * @param current size of the host at the start, 0 for none
   * @throws io.poolkeeper.spring.settings.InvalidSettingException if the configured sizes
   *     contradict the largest of the host
   */
  TunedPool add(PoolSettings settings, Kind kind, HostMaximum host, int current) {
    Bounds bounds = settings.bounds(host);
    TunedPool pool = new TunedPool(settings, kind, new Range(bounds, current), subscribers);
    pools.put(settings.name(), pool);
    return pool;
  }

  /**
   * Adds the pool of a bean, as {@link #add} does.
   *
   * @throws IllegalStateException if the bean has the name of the web server's pool
   */
  TunedPool addBean(PoolSettings settings, Kind kind, HostMaximum host, int current) {
    if (settings.name().equals(WEB)) {
      throw new IllegalStateException(
          "'web' is the name of the web server's pool; give the bean another name");
    }
    return add(settings, kind, host, current);
  }

  /**
   * Tells that a bean is left alone: with a warning where it has properties, which have no effect.
   *
   * @param reason sentence that names the bean
   */
  void leaveAlone(String name, String reason) {
    if (name.equals(WEB)) {
      webLeftAlone = true;
    }
    if (PoolSettings.configured(properties, name)) {
      if (settings(name).enabled()) {
        LOG.warn("poolkeeper.pools.%s has no effect: %s".formatted(name, reason));
      }
    } else {
      LOG.info(reason);
    }
  }

  /** Tells that properties of the web server's pool have no effect, where it has none. */
  public void checkWeb() {
    if (!webLeftAlone && find(WEB).isEmpty() && PoolSettings.configured(properties, WEB)) {
      leaveAlone(WEB, "there is no web server that can be tuned, such as Tomcat or Jetty");
    }
  }

  /** Forgets a pool that could not be tuned. */
  void remove(TunedPool pool) {
    pools.remove(pool.name(), pool);
  }

  @Override
  public void close() {
    pools.values().forEach(TunedPool::close);
    pools.clear();
  }

  /** Passes events on to whoever listens. */
  private static final class Subscribers implements ControlListener {
    private final List<ControlListener> listeners = new CopyOnWriteArrayList<>();

    private void tell(Consumer<ControlListener> event) {
      listeners.forEach(event);
    }

    @Override
    public void onWindow(Resizable pool, Window window) {
      tell(listener -> listener.onWindow(pool, window));
    }

    @Override
    public void onStep(Resizable pool, Step step) {
      tell(listener -> listener.onStep(pool, step));
    }

    @Override
    public void onHang(Resizable pool, Hang hang) {
      tell(listener -> listener.onHang(pool, hang));
    }

    @Override
    public void onBounds(Resizable pool, Bounds bounds) {
      tell(listener -> listener.onBounds(pool, bounds));
    }

    @Override
    public void onClose(Resizable pool) {
      tell(listener -> listener.onClose(pool));
    }
  }
}
