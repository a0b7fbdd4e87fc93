package io.poolkeeper.testbed.simulator.coordinated;

import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.CoordinatedPools;
import io.poolkeeper.Resizable;
import io.poolkeeper.testbed.simulator.Simulation;
import io.poolkeeper.testbed.simulator.coordinated.TwoTiers.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Runs of a service under a sequence of conditions, and what the best static sizes reach. */
final class Trial {

  /** Seconds after a change that do not count. */
  static final double SETTLING = 120;

  /** Sizes among which the best static allocation is sought. */
  private static final int[] THREADS = {4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 200, 400};

  private static final int[] CONNECTIONS = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 100};

  /** Every so many-th size is tried first; then those around the best. */
  private static final int STRIDE = 3;

  private static final double STATIC_SECONDS = 50;
  private static final double STATIC_WARMUP = 10;
  private static final double NANOS = 1e9;

  private final TwoTiers service;
  private final List<Stage> stages;
  private final long seed;
  private int threads = 200;
  private int connections = 10;
  private int queue = Integer.MAX_VALUE;

  /** From the defaults of Tomcat and Hikari, 200 and 10. */
  Trial(TwoTiers service, List<Stage> stages, long seed) {
    this.service = service;
    this.stages = stages;
    this.seed = seed;
  }

  /** Begins with other sizes. */
  Trial from(int threads, int connections) {
    this.threads = threads;
    this.connections = connections;
    return this;
  }

  /** Bounds the queue of requests in front of the threads. */
  Trial queue(int capacity) {
    queue = capacity;
    return this;
  }

  /** Sizes of both pools at the end of a run. */
  record Sizes(int threads, int connections) {}

  /**
   * Outcome of a run.
   *
   * @param throughput answers a second of each stage, its first two minutes left out
   * @param goodput those of them within the bound
   * @param sizes at the end of each stage
   */
  record Outcome(List<Double> throughput, List<Double> goodput, List<Sizes> sizes) {}

  /** Two loops that know nothing of each other. */
  Outcome independent() {
    Supplier<Controller> curve =
        () ->
            Controllers.named(
                "response-curve", Map.of("processors", String.valueOf(service.cores())));
    return run(curve.get(), curve.get(), 0);
  }

  /** Two loops that are coordinated. */
  Outcome coordinated() {
    return coordinated(CoordinatedPools.builder().processors(service.cores()).build(), 0);
  }

  /**
   * The same with a pair of settings.
   *
   * @param bound within which an answer counts as good, seconds; 0 for none
   */
  Outcome coordinated(CoordinatedPools pair, double bound) {
    return run(pair.threads(), pair.connections(), bound);
  }

  /** Sizes that stay as they are. */
  Outcome fixed(double bound) {
    return run(Controllers.fixed(threads), Controllers.fixed(connections), bound);
  }

  private Outcome run(Controller forThreads, Controller forConnections, double bound) {
    double[] from = new double[stages.size()];
    double[] to = new double[stages.size()];
    double at = 0;
    for (int i = 0; i < stages.size(); i++) {
      from[i] = at + Math.min(SETTLING, stages.get(i).seconds() / 2);
      at += stages.get(i).seconds();
      to[i] = at;
    }
    double[] answers = new double[stages.size()];
    double[] good = new double[stages.size()];
    SizeLog log = new SizeLog();
    Simulation simulation =
        Simulation.of(service.model(threads, connections, queue, stages))
            .seed(seed)
            .poolTimes(false)
            .digits(1)
            .control(TwoTiers.THREADS, loop -> describe(loop, forThreads, log))
            .control(TwoTiers.CONNECTIONS, loop -> describe(loop, forConnections, log))
            .onResponse(
                (clients, request, sent, ended, failed) -> {
                  for (int i = 0; i < from.length; i++) {
                    if (!failed && ended >= from[i] * NANOS && ended < to[i] * NANOS) {
                      answers[i]++;
                      good[i] += bound == 0 || ended - sent <= bound * NANOS ? 1 : 0;
                    }
                  }
                });
    if (bound > 0) {
      simulation.goodputBound(TwoTiers.THREADS, Duration.ofMillis(Math.round(1000 * bound)));
    }
    simulation.run(at - 0.001);
    List<Double> throughput = new ArrayList<>();
    List<Double> goodput = new ArrayList<>();
    List<Sizes> sizes = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      throughput.add(answers[i] / (to[i] - from[i]));
      goodput.add(good[i] / (to[i] - from[i]));
      sizes.add(log.at(to[i]));
    }
    return new Outcome(throughput, goodput, sizes);
  }

  private static ControlLoop.Builder describe(
      ControlLoop.Builder loop, Controller controller, ControlListener log) {
    return loop.controller(controller).window(Duration.ofMillis(500)).listener(log);
  }

  /** Largest throughput of static sizes in each stage, per second, from the grid. */
  List<Double> best() {
    return stages.stream().map(this::best).toList();
  }

  private double best(Stage stage) {
    double best = 0;
    int bestThreads = 0;
    int bestConnections = 0;
    for (int t = 0; t < THREADS.length; t += STRIDE) {
      for (int c = 0; c < CONNECTIONS.length; c += STRIDE) {
        double reached = reached(stage, t, c);
        if (reached > best) {
          best = reached;
          bestThreads = t;
          bestConnections = c;
        }
      }
    }
    for (int t = bestThreads - STRIDE + 1; t < bestThreads + STRIDE; t++) {
      for (int c = bestConnections - STRIDE + 1; c < bestConnections + STRIDE; c++) {
        best = Math.max(best, reached(stage, t, c));
      }
    }
    return best;
  }

  /** Answers a second of a place of the grid; 0 outside, and where threads cannot use all. */
  private double reached(Stage stage, int threadsAt, int connectionsAt) {
    if (threadsAt < 0
        || threadsAt >= THREADS.length
        || connectionsAt < 0
        || connectionsAt >= CONNECTIONS.length
        || CONNECTIONS[connectionsAt] > THREADS[threadsAt]) {
      return 0;
    }
    Stage alone = new Stage(STATIC_SECONDS, stage.users(), stage.writing(), stage.speed());
    return Simulation.of(
            service.model(
                THREADS[threadsAt], CONNECTIONS[connectionsAt], Integer.MAX_VALUE, List.of(alone)))
        .poolTimes(false)
        .digits(1)
        .warmup(STATIC_WARMUP)
        .run(STATIC_SECONDS - STATIC_WARMUP - 1)
        .requests()
        .stream()
        .mapToDouble(request -> request.throughput().value())
        .sum();
  }

  /** Sizes over time. */
  private static final class SizeLog implements ControlListener {
    private record Entry(double at, boolean threads, int size) {}

    private final List<Entry> entries = new ArrayList<>();

    @Override
    public void onStep(Resizable pool, Step step) {
      boolean ofThreads = pool.name().equals(TwoTiers.THREADS);
      entries.add(new Entry(step.window().end() / NANOS, ofThreads, step.after()));
    }

    Sizes at(double time) {
      int threads = 0;
      int connections = 0;
      for (Entry entry : entries) {
        if (entry.at < time) {
          threads = entry.threads ? entry.size : threads;
          connections = entry.threads ? connections : entry.size;
        }
      }
      return new Sizes(threads, connections);
    }
  }
}
