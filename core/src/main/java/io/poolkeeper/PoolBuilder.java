package io.poolkeeper;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that an {@link AdaptiveExecutor} and an {@link AdaptiveLimiter} share.
 *
 * <p>Each setting is checked when it is set; settings that depend on each other are checked when
 * the pool is built. A builder may build several pools of the same name and may be changed in
 * between, but a controller and a queue serve one pool each and must be set anew. No method accepts
 * null.
 *
 * @param <B> the builder itself
 */
public abstract sealed class PoolBuilder<B extends PoolBuilder<B>> extends LoopBuilder<B>
    permits AdaptiveExecutor.Builder, AdaptiveLimiter.Builder {

  private final String name;
  private @Nullable Objective objective;
  private Bounds bounds;
  private int initialSize;

  PoolBuilder(String name, Bounds bounds) {
    if (Objects.requireNonNull(name, "name must not be null").isBlank()) {
      throw new IllegalArgumentException("name must not be blank");
    }
    this.name = name;
    this.bounds = bounds;
  }

  /**
   * Sets the objective; default {@link Objective#throughput()}, or that of the sensor of an
   * executor.
   */
  public B objective(Objective objective) {
    this.objective = Objects.requireNonNull(objective, "objective must not be null");
    return self();
  }

  /**
   * Sets the smallest and the largest size, 1 or more and in this order; default 1 to 256 for an
   * executor, 1 to 1,000 for a limiter.
   *
   * @throws IllegalArgumentException if they are not
   */
  public B bounds(int minimum, int maximum) {
    this.bounds = new Bounds(minimum, maximum);
    return self();
  }

  /**
   * Sets the first size, within the bounds; a {@linkplain #remember remembered} size replaces it.
   * Default 8 workers per processor for an executor and 4 permits per processor for a limiter, or
   * the nearest bound.
   *
   * @throws IllegalArgumentException if it is below 1
   */
  public B initialSize(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("initialSize must be >= 1, but is " + size);
    }
    this.initialSize = size;
    return self();
  }

  @Override
  final String name() {
    return name;
  }

  final Objective objective() {
    return objective == null ? standardObjective() : objective;
  }

  /** Returns the objective to use if none was set. */
  Objective standardObjective() {
    return Objective.throughput();
  }

  /**
   * Returns the default of the first size, per processor. Most work waits for something: one worker
   * per processor is far too few while the first windows are gathered, and eight do no harm.
   */
  int startingSize() {
    return 8;
  }

  final Bounds bounds() {
    return bounds;
  }

  /**
   * @throws IllegalArgumentException if the size that was set is out of bounds
   */
  final int initialSize() {
    return initialSize == 0
        ? bounds.clamp(startingSize() * Runtime.getRuntime().availableProcessors())
        : bounds.require("initialSize", initialSize);
  }

  final ControlLoop startLoop(Resizable pool, Sensor sensor) {
    return startLoop(pool, sensor, Controllers.forObjective(objective()));
  }
}
