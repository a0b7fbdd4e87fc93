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
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  private static final long SEARCH_SEED = 1;
  private static final double STATIC_SECONDS = 40;
  private static final double CHECK_SECONDS = 120;
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

  /** Sizes of both pools at one time. */
  record Sizes(int threads, int connections) {}

  /**
   * Outcome of a run.
   *
   * @param throughput answers a second of each stage, its first two minutes left out
   * @param goodput those of them within the bound
   * @param sizes at the end of each stage
   * @param least smallest sizes of each stage, its first two minutes left out
   * @param most largest sizes, likewise
   */
  record Outcome(
      List<Double> throughput,
      List<Double> goodput,
      List<Sizes> sizes,
      List<Sizes> least,
      List<Sizes> most) {}

  /** Controllers of the pools of one server. */
  record Tuning(Controller threads, Controller connections) {

    private static Tuning of(CoordinatedPools pair) {
      return new Tuning(pair.threads(), pair.connections());
    }

    private static Tuning apart(Supplier<Controller> controller) {
      return new Tuning(controller.get(), controller.get());
    }
  }

  /** Two loops that know nothing of each other. */
  Outcome independent() {
    Map<String, String> settings = Map.of("processors", String.valueOf(service.cores()));
    return run(() -> Tuning.apart(() -> Controllers.named("response-curve", settings)), 0);
  }

  /** Two loops of another controller. */
  Outcome independent(String controller) {
    return run(() -> Tuning.apart(() -> Controllers.named(controller, Map.of())), 0);
  }

  /** Two loops that are coordinated. */
  Outcome coordinated() {
    return coordinated(CoordinatedPools.builder().processors(service.cores()), 0);
  }

  /**
   * The same with settings of the pairs.
   *
   * @param bound within which an answer counts as good, seconds; 0 for none
   */
  Outcome coordinated(CoordinatedPools.Builder pairs, double bound) {
    return run(() -> Tuning.of(pairs.build()), bound);
  }

  /** Sizes that stay as they are. */
  Outcome fixed(double bound) {
    return run(() -> new Tuning(Controllers.fixed(threads), Controllers.fixed(connections)), bound);
  }

  private Outcome run(Supplier<Tuning> tunings, double bound) {
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
    SizeLog threadLog = new SizeLog(threads);
    SizeLog connectionLog = new SizeLog(connections);
    Tuning tuning = tunings.get();
    Simulation simulation =
        Simulation.of(service.model(threads, connections, queue, stages))
            .seed(seed)
            .poolTimes(false)
            .digits(1)
            .control(TwoTiers.THREADS, loop -> describe(loop, tuning.threads, threadLog))
            .control(
                TwoTiers.CONNECTIONS, loop -> describe(loop, tuning.connections, connectionLog))
            .onResponse(
                (clients, request, sent, ended, failed) -> {
                  for (int i = 0; i < from.length; i++) {
                    if (!failed && ended >= from[i] * NANOS && ended < to[i] * NANOS) {
                      answers[i]++;
                      good[i] += bound == 0 || ended - sent <= bound * NANOS ? 1 : 0;
                    }
                  }
                });
    for (String server : TwoTiers.servers(stages)) {
      if (!server.equals(TwoTiers.THREADS)) {
        Tuning more = tunings.get();
        SizeLog unread = new SizeLog(0);
        simulation
            .control(server, loop -> describe(loop, more.threads, unread))
            .control(
                TwoTiers.connections(server), loop -> describe(loop, more.connections, unread));
      }
    }
    if (bound > 0) {
      simulation.goodputBound(TwoTiers.THREADS, Duration.ofMillis(Math.round(1000 * bound)));
    }
    simulation.run(at - 0.001);
    List<Double> throughput = new ArrayList<>();
    List<Double> goodput = new ArrayList<>();
    List<Sizes> sizes = new ArrayList<>();
    List<Sizes> least = new ArrayList<>();
    List<Sizes> most = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      throughput.add(answers[i] / (to[i] - from[i]));
      goodput.add(good[i] / (to[i] - from[i]));
      IntSummaryStatistics ofThreads = threadLog.between(from[i], to[i]);
      IntSummaryStatistics ofConnections = connectionLog.between(from[i], to[i]);
      sizes.add(new Sizes(threadLog.at(to[i]), connectionLog.at(to[i])));
      least.add(new Sizes(ofThreads.getMin(), ofConnections.getMin()));
      most.add(new Sizes(ofThreads.getMax(), ofConnections.getMax()));
    }
    return new Outcome(throughput, goodput, sizes, least, most);
  }

  private static ControlLoop.Builder describe(
      ControlLoop.Builder loop, Controller controller, ControlListener log) {
    return loop.controller(controller).listener(log);
  }

  /** Throughput of the best static sizes of the grid in each stage, per second. */
  List<Double> best() {
    return reached(bestSizes());
  }

  /**
   * Throughput of static sizes in each stage, per second. The largest of many short runs is too
   * large by chance, so they run with another seed than those of the search.
   */
  List<Double> reached(List<Sizes> sizes) {
    Map<Stage, Double> byStage = new HashMap<>(); // Some conditions come again.
    List<Double> reached = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      Sizes each = sizes.get(i);
      reached.add(
          byStage.computeIfAbsent(
              stages.get(i), stage -> reached(stage, each, 1 + seed, CHECK_SECONDS)));
    }
    return reached;
  }

  /** Best static sizes of the grid in each stage. */
  List<Sizes> bestSizes() {
    Map<Stage, Sizes> byStage = new HashMap<>();
    return stages.stream().map(stage -> byStage.computeIfAbsent(stage, this::bestSizes)).toList();
  }

  private Sizes bestSizes(Stage stage) {
    List<Place> grid = new ArrayList<>();
    for (int t = 0; t < THREADS.length; t += STRIDE) {
      for (int c = 0; c < CONNECTIONS.length; c += STRIDE) {
        grid.add(new Place(t, c));
      }
    }
    Place coarse = best(stage, grid);
    List<Place> neighbours = new ArrayList<>();
    for (int t = coarse.threads - STRIDE + 1; t < coarse.threads + STRIDE; t++) {
      for (int c = coarse.connections - STRIDE + 1; c < coarse.connections + STRIDE; c++) {
        neighbours.add(new Place(t, c));
      }
    }
    return best(stage, neighbours).sizes();
  }

  private Place best(Stage stage, List<Place> places) {
    Place best = places.get(0);
    double most = 0;
    for (Place place : places) {
      double reached =
          place.exists() ? reached(stage, place.sizes(), SEARCH_SEED, STATIC_SECONDS) : 0;
      if (reached > most) {
        most = reached;
        best = place;
      }
    }
    return best;
  }

  /** Place of the grid. */
  private record Place(int threads, int connections) {

    /** Whether it is in the grid, and threads can use all connections. */
    boolean exists() {
      return threads >= 0
          && threads < THREADS.length
          && connections >= 0
          && connections < CONNECTIONS.length
          && CONNECTIONS[connections] <= THREADS[threads];
    }

    Sizes sizes() {
      return new Sizes(THREADS[threads], CONNECTIONS[connections]);
    }
  }

  private double reached(Stage stage, Sizes sizes, long seed, double seconds) {
    List<Stage> alone = List.of(stage.lasting(STATIC_WARMUP + seconds + 1));
    return Simulation.of(service.model(sizes.threads, sizes.connections, Integer.MAX_VALUE, alone))
        .seed(seed)
        .poolTimes(false)
        .digits(1)
        .warmup(STATIC_WARMUP)
        .run(seconds)
        .requests()
        .stream()
        .mapToDouble(request -> request.throughput().value())
        .sum();
  }

  /** Sizes of a pool over time. */
  private static final class SizeLog implements ControlListener {

    private final TreeMap<Double, Integer> sizes = new TreeMap<>();

    SizeLog(int begin) {
      sizes.put(0.0, begin);
    }

    @Override
    public void onStep(Resizable pool, Step step) {
      sizes.put(step.window().end() / NANOS, step.after());
    }

    int at(double time) {
      return sizes.lowerEntry(time).getValue();
    }

    IntSummaryStatistics between(double from, double to) {
      return sizes.subMap(from, to).values().stream().mapToInt(size -> size).summaryStatistics();
    }
  }
}
