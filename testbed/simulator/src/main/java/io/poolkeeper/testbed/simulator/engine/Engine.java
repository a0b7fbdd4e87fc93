package io.poolkeeper.testbed.simulator.engine;

import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.simulator.engine.event.Actor;
import io.poolkeeper.testbed.simulator.engine.event.Calendar;
import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Tasks;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.engine.flow.Flow;
import io.poolkeeper.testbed.simulator.engine.flow.Source;
import io.poolkeeper.testbed.simulator.engine.measure.RequestMeter;
import io.poolkeeper.testbed.simulator.engine.pool.PolicyRun;
import io.poolkeeper.testbed.simulator.engine.pool.ResizeListener;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import io.poolkeeper.testbed.simulator.engine.station.Server;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.statistics.PoolStats;
import io.poolkeeper.testbed.simulator.statistics.RequestStats;
import io.poolkeeper.testbed.simulator.statistics.StationStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One run: takes event after event from the calendar. It is the clock and the timer of the control
 * loops of its pools. One thread.
 */
public final class Engine implements Ticker, LoopTimer {

  /**
   * Events between two questions whether the run goes on: a tenth of a second, at the usual speed.
   */
  private static final long LOOK_MASK = (1 << 20) - 1;

  private final Events events = new Events();
  private final Flow flow = new Flow(events, new Tasks(Capacity.tasks()));
  private final Assembly parts;
  private final Settings settings;
  private final List<Actor> actors = new ArrayList<>();
  private final Server[] servers;
  private final Source[] sources;
  private final int sourceShift;
  private long count;
  private long measuredSince;
  private long measuredUntil;
  private boolean stopped;
  private BooleanSupplier goesOn = () -> true;

  /**
   * @throws IllegalArgumentException if there are more users than memory can hold
   */
  public Engine(Model model, Settings settings) {
    this.settings = settings;
    parts = new Assembly(model, settings, events, flow);
    parts.assemble();
    servers = parts.servers.toArray(Server[]::new);
    sources = parts.sources.toArray(Source[]::new);
    sourceShift = parts.sourceShift();
    parts.actors.forEach(actor -> add(actor, 0));
    for (int source = 0; source < sources.length; source++) {
      events.wakeSource(source, 0);
    }
  }

  private void add(Actor actor, long at) {
    actors.add(actor);
    events.wakeActor(actors.size() - 1, at);
  }

  @Override
  public long nanoTime() {
    return events.now();
  }

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    boolean[] stopped = {false};
    long nanos = interval.toNanos();
    Actor turns =
        now -> {
          if (stopped[0]) {
            return Time.NEVER;
          }
          tick.run();
          return now + nanos;
        };
    add(turns, events.now() + nanos);
    return () -> stopped[0] = true;
  }

  /** The pools of all replicas by the name that the pool has where there is only one. */
  public Map<String, List<SimulatedPool>> poolsByRole() {
    return parts.poolsByRole;
  }

  /**
   * Has a policy that has seen no event decide on the size of a pool, and a listener hear of it.
   */
  public void follow(EventPolicy policy, SimulatedPool pool, @Nullable ResizeListener resizes) {
    PolicyRun run = new PolicyRun(policy, pool, resizes);
    pool.follow(run);
    add(run, 0);
  }

  /**
   * Runs.
   *
   * @param warmup seconds whose statistics are forgotten
   * @param duration seconds after the warm-up
   */
  public void run(double warmup, double duration) {
    long from = Time.nanos(warmup);
    long to = Time.nanos(warmup + duration);
    if (from > 0) {
      // What happens at the very start belongs to a run without warm-up.
      runUntil(from);
    }
    if (stopped) {
      return;
    }
    restartStatistics();
    for (int batch = 1; batch <= settings.batches(); batch++) {
      runUntil(from + (long) ((double) (to - from) * batch / settings.batches()));
      if (stopped) {
        return;
      }
      endBatch();
    }
  }

  /**
   * Asks {@code goesOn} once every {@code nanos} of virtual time and every million events, of which
   * much virtual time may hold many, and stops the run when it answers no.
   */
  public void watch(long nanos, BooleanSupplier goesOn) {
    this.goesOn = goesOn;
    add(
        now -> {
          stopped = !goesOn.getAsBoolean();
          return now + nanos;
        },
        nanos);
  }

  /** Seconds after the warm-up whose batches have ended. */
  public double measured() {
    return Time.seconds(measuredUntil - measuredSince);
  }

  /** All that is due up to a time, that time included. */
  private void runUntil(long end) {
    Calendar calendar = events.calendar;
    while (!calendar.isEmpty() && calendar.nextTime() <= end) {
      calendar.take();
      long now = calendar.time();
      int number = calendar.number();
      events.now(now);
      count++;
      if ((count & LOOK_MASK) == 0 && !goesOn.getAsBoolean()) {
        stopped = true;
        return;
      }
      switch (calendar.kind()) {
        case Events.STEP -> flow.stepEnded(number, now);
        case Events.SERVER -> servers[number].due(now);
        case Events.ACTOR -> {
          act(number, now);
          if (stopped) {
            return;
          }
        }
        case Events.SOURCE -> {
          long next = sources[number].act(now);
          if (next < Time.NEVER) {
            events.wakeSource(number, next);
          }
        }
        default -> {
          int source = number >>> sourceShift;
          sources[source].wake(number - (source << sourceShift), now);
        }
      }
      flow.drain(now);
    }
    events.now(end);
  }

  private void act(int number, long now) {
    long next = actors.get(number).act(now);
    if (next < Time.NEVER) {
      events.wakeActor(number, next);
    }
  }

  private void restartStatistics() {
    long now = events.now();
    measuredSince = now;
    measuredUntil = now;
    parts.meters.forEach(meter -> meter.restart(now));
    parts.pools.values().forEach(SimulatedPool::restartStatistics);
    parts.servers.forEach(server -> server.restart(now));
  }

  private void endBatch() {
    long now = events.now();
    measuredUntil = now;
    parts.meters.forEach(meter -> meter.endBatch(now));
    parts.pools.values().forEach(pool -> pool.totals().endBatch());
    parts.servers.forEach(server -> server.endBatch(now));
  }

  /** Events since the start. */
  public long count() {
    return count;
  }

  /** Returns what clients saw of each request. */
  public List<RequestStats> requests() {
    return parts.meters.stream().map(RequestMeter::stats).toList();
  }

  /** Returns what happened in each pool. */
  public List<PoolStats> poolStats() {
    return parts.pools.values().stream().map(pool -> pool.totals().stats(pool.name())).toList();
  }

  /** Returns what happened at each station. */
  public List<StationStats> stations() {
    long now = events.now();
    return parts.servers.stream()
        .map(
            server ->
                new StationStats(
                    server.name,
                    server.utilisation(now),
                    server.meanPresent(now),
                    server.utilisationSeries()))
        .toList();
  }
}
