package io.poolkeeper;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that an {@link AdaptiveExecutor} and an {@link AdaptiveLimiter} share.
 *
 * <p>Each is checked when it is given, those that depend on each other when the pool is built. A
 * builder may build several pools, all of the same name, and be changed in between; but what can
 * serve one pool alone must be given anew for each: a controller, which learns, and a queue. None
 * of its methods takes null.
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

  /** Sets what is optimised; default {@link Objective#throughput()}. */
  public B objective(Objective objective) {
    this.objective = Objects.requireNonNull(objective, "objective must not be null");
    return self();
  }

  /**
   * Sets the smallest and the largest size; at least 1, and in this order.
   *
   * @throws IllegalArgumentException if they are not
   */
  public B bounds(int minimum, int maximum) {
    this.bounds = new Bounds(minimum, maximum);
    return self();
  }

  /**
   * Sets the size to begin with where nothing is {@linkplain #remember remembered}, within the
   * bounds; default for each processor eight workers of a pool or four permits of a limit, or the
   * nearest bound.
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

  /** Objective where none was given. */
  Objective standardObjective() {
    return Objective.throughput();
  }

  /**
   * Returns the size to begin with, for each processor. Most work waits for something, so that one
   * worker a processor is far too few while the first windows are gathered, and eight are no
   * danger.
   */
  int startingSize() {
    return 8;
  }

  final Bounds bounds() {
    return bounds;
  }

  /**
   * @throws IllegalArgumentException if a size was set that is out of bounds
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
