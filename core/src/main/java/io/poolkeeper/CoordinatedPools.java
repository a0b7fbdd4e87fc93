package io.poolkeeper;

import io.poolkeeper.controllers.CoordinatedSizes;
import io.poolkeeper.controllers.ResponseCurveController;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * A pair of controllers that size the threads of a service and the connections of its requests
 * together.
 *
 * <pre>{@code
 * var pair = CoordinatedPools.of(Objective.throughput());
 * var threads = AdaptiveExecutor.builder("orders").controller(pair.threads()).build();
 * HikariConnections.install(
 *     dataSource, new Bounds(2, 40), Objective.throughput(),
 *     loop -> loop.controller(pair.connections()));
 * }</pre>
 *
 * <p>A thread is held while it waits for a connection and while it uses it, so two independent
 * controllers mistake each other's moves for changes of the work. Here one pool leads, the one in
 * front of the limit, and is sized by its response curve. The other pool follows by measured visit
 * ratios and residence times: {@code n} threads use {@code n V c / s} connections, where {@code V}
 * is the number of uses per request, {@code c} the time of a use, and {@code s} the time of a
 * request without its waits for connections. The following pool gets some spare size, so that it
 * does not limit the leading one.
 *
 * <p>Both pools need a control loop, with windows of the same length, in any order. Each controller
 * serves one pool. Give the pool of threads the same objective, because it measures goodput and
 * some percentiles. Uses of the connections by other code count as uses by requests. If a ratio
 * cannot be measured, or one of the pools is idle or has no loop yet, each pool is sized by its own
 * curve. {@link LoopBuilder#remember} refuses these controllers: a pair learns anew after a
 * restart.
 *
 * <p><b>When not to use it.</b> Use separate controllers if other code makes most uses of the
 * connections, or if requests on other threads bring most of the load.
 */
public final class CoordinatedPools {

  private static final double TOLERANCE = 0.03;
  private static final int MOST_CONNECTIONS_PER_REQUEST = 100;

  private final ReentrantLock lock = new ReentrantLock();
  private final CoordinatedSizes sizes;
  private final Objective objective;
  private final Controller threads = new Threads();
  private final Controller connections =
      new Member(
          "coordinated-connections",
          CoordinatedSizes::connections,
          CoordinatedSizes::connectionBounds);

  private CoordinatedPools(Builder settings) {
    objective = settings.objective;
    sizes =
        new CoordinatedSizes(
            settings.objective, TOLERANCE, settings.processors, settings.connectionsPerRequest);
  }

  /** Makes a pair with the defaults of {@link Builder}. */
  public static CoordinatedPools of(Objective objective) {
    return builder().objective(objective).build();
  }

  /** Returns a builder of a pair. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the controller of the threads. */
  public Controller threads() {
    return threads;
  }

  /** Returns the controller of the connections. */
  public Controller connections() {
    return connections;
  }

  /** Decides for one pool of the pair. */
  private class Member implements Controller {

    private final String name;
    private final BiFunction<CoordinatedSizes, Window, Decision> decision;
    private final BiConsumer<CoordinatedSizes, Bounds> bounds;

    Member(
        String name,
        BiFunction<CoordinatedSizes, Window, Decision> decision,
        BiConsumer<CoordinatedSizes, Bounds> bounds) {
      this.name = name;
      this.decision = decision;
      this.bounds = bounds;
    }

    /** Decides under the lock, because the two loops may run on different threads. */
    @Override
    public final Decision decide(Window window) {
      lock.lock();
      try {
        return decision.apply(sizes, window);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public final void requireBounds(Bounds required) {
      lock.lock();
      try {
        bounds.accept(sizes, required);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public final Duration window() {
      return ResponseCurveController.WINDOW;
    }

    @Override
    public final String name() {
      return name;
    }
  }

  /** Decides for the threads, whose tasks fill the heap. */
  private final class Threads extends Member {

    Threads() {
      super("coordinated-threads", CoordinatedSizes::threads, CoordinatedSizes::threadBounds);
    }

    /** Does not take the lock: a decision that holds it may wait for memory. */
    @Override
    public int relieve(int size, double collecting, double filling) {
      return sizes.relieve(size, collecting, filling);
    }

    @Override
    public Optional<Objective> objective() {
      return Optional.of(objective);
    }
  }

  /** Builder of a pair. Every setting has a default. */
  public static final class Builder {
    private Objective objective = Objective.throughput();
    private int connectionsPerRequest = 1;
    private int processors = Runtime.getRuntime().availableProcessors();

    private Builder() {}

    /** Sets the objective of the requests; default {@link Objective#throughput()}. */
    public Builder objective(Objective objective) {
      this.objective = Objects.requireNonNull(objective, "objective must not be null");
      return this;
    }

    /**
     * Sets the largest number of connections that a request holds at once, from 1 to 100; default
     * 1. Above 1, threads that hold connections and wait for another could deadlock. To prevent
     * that, the pair keeps at least {@code threads * (connectionsPerRequest - 1) + 1} connections,
     * and no more threads than the largest number of connections allows.
     *
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder connectionsPerRequest(int connectionsPerRequest) {
      this.connectionsPerRequest =
          new Bounds(1, MOST_CONNECTIONS_PER_REQUEST)
              .require("connectionsPerRequest", connectionsPerRequest);
      return this;
    }

    /**
     * Sets the processors that the requests may use, 1 or more; default those of the machine.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder processors(int processors) {
      this.processors = new Bounds(1, Integer.MAX_VALUE).require("processors", processors);
      return this;
    }

    /** Makes the pair. */
    public CoordinatedPools build() {
      return new CoordinatedPools(this);
    }
  }
}
