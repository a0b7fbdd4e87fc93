package io.poolkeeper.testbed.simulator.coordinated;

import static io.poolkeeper.testbed.clients.Distribution.exponential;

import io.poolkeeper.Bounds;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;

/**
 * A service whose threads are held while they wait for connections and use them. Each thread beyond
 * the cores lengthens the work of the application; the database completes statements by the
 * universal scalability law of the connections in use.
 *
 * @param cores of the application
 * @param work of a request for the application, seconds of one core
 * @param overhead of each busy thread beyond the cores, a fraction of the work
 * @param pause of a request that uses neither, seconds: a call elsewhere
 * @param rate statements a second of one connection alone
 * @param contention of the database
 * @param coherence of the database; its best number of connections is {@code sqrt((1 - contention)
 *     / coherence)}
 * @param reads uses of a connection in a request that reads
 * @param writes uses of a connection in a request that writes
 */
record TwoTiers(
    int cores,
    double work,
    double overhead,
    double pause,
    double rate,
    double contention,
    double coherence,
    double reads,
    double writes) {

  static final String THREADS = "web";
  static final String CONNECTIONS = "web.connections";

  /** Pools of the second server of the application, which some stages have. */
  static final String MORE_THREADS = "gained";

  static final String MORE_CONNECTIONS = "gained.connections";
  private static final String BALANCER = "balancer";

  private static final String READ = "read";
  private static final String WRITE = "write";

  /** End of the names of requests that either server gets. */
  private static final String SHARED = ", shared";

  static final int MOST_THREADS = 400;
  static final int MOST_CONNECTIONS = 100;

  /** Mean time between an answer and the next request, seconds. */
  static final double THINK = 1;

  /**
   * Conditions that hold for a time.
   *
   * @param seconds how long
   * @param users closed ones
   * @param writing fraction of requests that write
   * @param speed of the database, 1 is the usual one
   * @param servers of the application, 1 or 2
   * @param databases alike, which share the statements
   */
  record Stage(
      double seconds, int users, double writing, double speed, int servers, int databases) {

    /** One server and one database. */
    Stage(double seconds, int users, double writing, double speed) {
      this(seconds, users, writing, speed, 1, 1);
    }

    /** The same for another time. */
    Stage lasting(double other) {
      return new Stage(other, users, writing, speed, servers, databases);
    }
  }

  /** Whether a stage has a second server. */
  static boolean grows(List<Stage> stages) {
    return stages.stream().anyMatch(stage -> stage.servers > 1);
  }

  private IntToDoubleFunction database(Stage stage) {
    return n -> {
      double each = Math.max(1, (double) n / stage.databases);
      double slowed = 1 + contention * (each - 1) + coherence * each * (each - 1);
      return stage.speed * rate * n / slowed;
    };
  }

  /** The service under a sequence of conditions. */
  Model model(int threads, int connections, int queue, List<Stage> stages) {
    Station.Curve database = Station.curve(database(stages.get(0)));
    List<Phase> phases = new ArrayList<>();
    double at = 0;
    for (Stage stage : stages) {
      if (at > 0) {
        database = database.then(at, database(stage));
      }
      phases.add(new Phase(stage.seconds, stage.users).sending(mix(stage)));
      at += stage.seconds;
    }
    Model.Builder model = Model.builder();
    if (grows(stages)) {
      model
          .tier(balancer())
          .tier(server(THREADS, threads, connections, queue))
          .tier(server(MORE_THREADS, threads, connections, queue));
    } else {
      model.tier(server(THREADS, threads, connections, queue));
    }
    return model
        .station("database", database)
        .clients(Clients.closed(phases).thinking(exponential(THINK)))
        .build();
  }

  private Tier server(String name, int threads, int connections, int queue) {
    return Tier.named(name)
        .workers(new Pool(threads, new Bounds(1, MOST_THREADS), queue))
        .cpu(Station.cpu(cores).overhead(overhead))
        .pool("connections", Pool.of(connections).between(1, MOST_CONNECTIONS))
        .serve(READ, program(reads))
        .serve(WRITE, program(writes))
        .serve(READ + SHARED, program(reads))
        .serve(WRITE + SHARED, program(writes))
        .build();
  }

  /** Sends requests to the first server, or to both: their names say which. */
  private static Tier balancer() {
    Step first = Step.call(THREADS);
    Step either = Step.choose(Step.with(0.5, first), Step.with(0.5, Step.call(MORE_THREADS)));
    return Tier.named(BALANCER)
        .serve(READ, List.of(first))
        .serve(WRITE, List.of(first))
        .serve(READ + SHARED, List.of(either))
        .serve(WRITE + SHARED, List.of(either))
        .build();
  }

  private List<Step> program(double uses) {
    List<Step> steps = new ArrayList<>();
    steps.add(Step.cpu(exponential(work)));
    if (pause > 0) {
      steps.add(Step.sleep(exponential(pause)));
    }
    steps.add(Step.holding("connections", Step.use("database", exponential(1))).times(uses));
    return steps;
  }

  private static Requests mix(Stage stage) {
    String where = stage.servers > 1 ? SHARED : "";
    return Requests.mix(
        new TreeMap<>(Map.of(READ + where, 1 - stage.writing, WRITE + where, stage.writing)));
  }
}
