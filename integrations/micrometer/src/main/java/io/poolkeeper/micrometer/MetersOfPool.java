package io.poolkeeper.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Resizable;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The meters of one pool, and the sums behind them. */
final class MetersOfPool {

  private static final String PREFIX = "poolkeeper.pool.";

  private final Resizable pool;
  private final MeterRegistry registry;
  private final Tags tags;
  private final List<Meter> meters = new CopyOnWriteArrayList<>();
  private final Map<Action, LongAdder> decisions = new ConcurrentHashMap<>();
  private final LongAdder arrivals = new LongAdder();
  private final LongAdder completions = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder rejections = new LongAdder();
  private final Times queueWait = new Times(Window::queueWait);
  private final Times serviceTime = new Times(Window::serviceTime);
  private final Times responseTime = new Times(Window::responseTime);
  private volatile Window last;

  MetersOfPool(Resizable pool, MeterRegistry registry, List<Tag> tags) {
    this.pool = pool;
    this.registry = registry;
    this.tags = Tags.of(tags).and("name", pool.name());
    last = Window.builder(0, 1, pool.size()).build();
    for (Action action : Action.values()) {
      decisions.put(action, new LongAdder());
    }
  }

  void register() {
    gauge("size", "size in force", p -> p.pool.size());
    gauge("minimum", "smallest size allowed", p -> p.pool.bounds().minimum());
    gauge("maximum", "largest size allowed", p -> p.pool.bounds().maximum());
    gauge("busy", "mean of busy workers or held permits in the last window", p -> p.last.busy());
    gauge("queued", "mean of waiting tasks in the last window", p -> p.last.queueMean());
    counter("arrivals", "tasks offered", Tags.empty(), arrivals);
    counter("completions", "tasks that ended normally", Tags.empty(), completions);
    counter("failures", "tasks that ended by throwing", Tags.empty(), failures);
    counter("rejections", "tasks refused", Tags.empty(), rejections);
    decisions.forEach(
        (action, count) ->
            counter("decisions", "what came of decisions", Tags.of("action", "" + action), count));
    times("queue.wait", "from arrival to start", queueWait);
    times("service.time", "from start to end", serviceTime);
    times("response.time", "from arrival to end", responseTime);
    if (pool instanceof AdaptiveExecutor executor) {
      register(executor);
    }
  }

  /** The names under which Micrometer shows executors of the JDK. */
  private void register(AdaptiveExecutor executor) {
    executorGauge(executor, "executor.active", "threads", AdaptiveExecutor::getActiveCount);
    executorGauge(executor, "executor.queued", "tasks", AdaptiveExecutor::queued);
    executorGauge(executor, "executor.pool.size", "threads", AdaptiveExecutor::getPoolSize);
    executorGauge(executor, "executor.pool.core", "threads", AdaptiveExecutor::size);
    executorGauge(executor, "executor.pool.max", "threads", e -> e.bounds().maximum());
    meters.add(
        FunctionCounter.builder(
                "executor.completed", executor, AdaptiveExecutor::getCompletedTaskCount)
            .tags(tags)
            .baseUnit("tasks")
            .register(registry));
  }

  private void executorGauge(
      AdaptiveExecutor executor, String name, String unit, ToDoubleFunction<AdaptiveExecutor> f) {
    meters.add(Gauge.builder(name, executor, f).tags(tags).baseUnit(unit).register(registry));
  }

  private void gauge(String name, String description, ToDoubleFunction<MetersOfPool> value) {
    meters.add(
        Gauge.builder(PREFIX + name, this, value)
            .description(description)
            .tags(tags)
            .register(registry));
  }

  private void counter(String name, String description, Tags further, LongAdder count) {
    meters.add(
        FunctionCounter.builder(PREFIX + name, count, LongAdder::sum)
            .description(description)
            .tags(tags.and(further))
            .register(registry));
  }

  private void times(String name, String description, Times times) {
    meters.add(
        FunctionTimer.builder(
                PREFIX + name, times, t -> t.count, t -> t.total, TimeUnit.NANOSECONDS)
            .description(description)
            .tags(tags)
            .register(registry));
    percentile(name, "0.5", times, TimeStats::p50);
    percentile(name, "0.99", times, TimeStats::p99);
  }

  private void percentile(
      String name, String phi, Times times, ToDoubleFunction<TimeStats> percentile) {
    meters.add(
        TimeGauge.builder(
                PREFIX + name + ".percentile",
                this,
                TimeUnit.NANOSECONDS,
                p -> percentile.applyAsDouble(times.of.apply(p.last)))
            .description("percentile of the last window")
            .tags(tags.and("phi", phi))
            .register(registry));
  }

  void add(Window window) {
    arrivals.add(window.arrivals());
    completions.add(window.completions());
    failures.add(window.failures());
    rejections.add(window.rejections());
    queueWait.add(window);
    serviceTime.add(window);
    responseTime.add(window);
    last = window;
  }

  void add(Step step) {
    LongAdder count = decisions.get(step.action());
    if (count != null) {
      count.increment();
    }
  }

  void remove() {
    meters.forEach(registry::remove);
    meters.clear();
  }

  /** Number and sum of the times of all windows. One thread at a time adds. */
  private static final class Times {
    private final Function<Window, TimeStats> of;
    private volatile long count;
    private volatile double total;

    Times(Function<Window, TimeStats> of) {
      this.of = of;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread at a time.
    void add(Window window) {
      TimeStats stats = of.apply(window);
      count += stats.count();
      total += stats.count() * stats.mean();
    }
  }
}
