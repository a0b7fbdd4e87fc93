package io.poolkeeper.spring.pools;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.LoopBuilder;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.spring.settings.PoolSettings;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pool of the service with its loop and its range. The host may stop and start it: then there is
 * another pool, with the same range.
 */
public final class TunedPool {

  /** Resource that is pooled. */
  public enum Kind {
    /** Threads of a pool. */
    THREADS,
    /** Connections to a database. */
    CONNECTIONS,
    /** Requests that are admitted at the same time. */
    REQUESTS
  }

  /** Finds the loop while the pool runs; throws {@link IllegalStateException} while it does not. */
  interface LoopFinder {
    ControlLoop find();
  }

  private final PoolSettings settings;
  private final Kind kind;
  private final Range range;
  private final ControlListener subscribers;
  private volatile LoopFinder loop =
      () -> {
        throw new IllegalStateException("it has not started");
      };
  private volatile @Nullable Resizable current;
  private volatile @Nullable Mode modeByHand;

  TunedPool(PoolSettings settings, Kind kind, Range range, ControlListener subscribers) {
    this.settings = settings;
    this.kind = kind;
    this.range = range;
    this.subscribers = subscribers;
  }

  /** Sets what every loop of this pool has in common. Called at each start of the pool. */
  void configure(LoopBuilder<?> builder, boolean jmx) {
    builder
        .controller(range.controller(settings.objective()))
        .mode(startingMode())
        .jmx(jmx)
        .listener(new Follower())
        .listener(subscribers);
  }

  /** Returns the mode of the next loop. */
  private Mode startingMode() {
    Mode mode = modeByHand;
    return mode == null ? settings.mode() : mode;
  }

  /**
   * Returns the size of a pool that starts: in active mode one that decisions may choose, else that
   * of the host, which does not change then.
   *
   * @param wanted size in active mode, which may be outside the range
   * @param host size without this library
   */
  int startingSize(int wanted, int host) {
    return startingMode() == Mode.ACTIVE ? range.clamp(wanted) : host;
  }

  /** Sets the way to the loop. */
  void loop(LoopFinder finder) {
    loop = finder;
  }

  /** Name of the bean, or {@code web}. */
  public String name() {
    return settings.name();
  }

  /** Returns name, sizes and mode, such as {@code web (1 to 200 threads, active)}. */
  String summary() {
    return "%s (%d to %d %s, %s)"
        .formatted(
            name(),
            bounds().minimum(),
            bounds().maximum(),
            kind.name().toLowerCase(Locale.ROOT),
            settings.mode());
  }

  /** The resource. */
  public Kind kind() {
    return kind;
  }

  /** The checked settings. */
  PoolSettings settings() {
    return settings;
  }

  /** The sizes that decisions may choose. */
  Range range() {
    return range;
  }

  /** The loop; empty while the pool is stopped. */
  public Optional<ControlLoop> loop() {
    try {
      return Optional.of(loop.find());
    } catch (IllegalStateException e) {
      return Optional.empty();
    }
  }

  /** Sizes that decisions may choose now. */
  public Bounds bounds() {
    return range.chosen();
  }

  /** Bounds of the pool, within which {@link #bounds} can be changed. */
  public Bounds widestBounds() {
    return range.widest();
  }

  /** Size in force; empty until the first window of the pool has closed, and once it has ended. */
  public Optional<Integer> size() {
    return Optional.ofNullable(current).map(Resizable::size);
  }

  /** Changes the mode, which also holds after a restart of the host. */
  public void mode(Mode mode) {
    modeByHand = mode;
    loop().ifPresent(running -> running.mode(mode));
  }

  /**
   * Requires sizes that decisions could choose.
   *
   * @throws IllegalArgumentException if they are outside {@link #widestBounds}
   */
  public void require(Bounds bounds) {
    range.require(bounds);
  }

  /**
   * Changes the sizes that decisions may choose.
   *
   * @throws IllegalArgumentException if they are outside {@link #widestBounds}
   */
  public void bounds(Bounds bounds) {
    range.choose(bounds);
    loop().ifPresent(running -> running.bounds(bounds));
  }

  /**
   * Changes the size. In active mode the next decision may change it again.
   *
   * @throws IllegalArgumentException if it is out of bounds
   * @throws IllegalStateException if the pool does not run
   */
  public void resize(int size) {
    Resizable pool = requireRunning();
    range.chosen().require("size", size);
    pool.resize(size);
  }

  /**
   * Returns the pool.
   *
   * @throws IllegalStateException if it does not run, or its first window has not closed
   */
  public Resizable requireRunning() {
    Resizable pool = current;
    if (pool == null) {
      throw new IllegalStateException("pool '" + name() + "' does not run");
    }
    return pool;
  }

  /** Ends the loop; the host keeps its pool at the size it has. */
  void close() {
    loop().ifPresent(ControlLoop::close);
  }

  /** Follows the pool through its starts. */
  private final class Follower implements ControlListener {

    @Override
    public void onWindow(Resizable pool, Window window) {
      if (current != pool) {
        current = pool;
        loop().filter(running -> !running.bounds().equals(bounds())).ifPresent(this::narrow);
      }
    }

    private void narrow(ControlLoop running) {
      running.bounds(bounds());
    }

    /** Keeps what the console has changed for the next start of the host. */
    @Override
    public void onBounds(Resizable pool, Bounds bounds) {
      range.choose(bounds);
    }

    @Override
    public void onClose(Resizable pool) {
      if (current == pool) {
        current = null;
      }
    }
  }
}
