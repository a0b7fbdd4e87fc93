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
import java.util.stream.IntStream;

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

  /** Threads of the first server of the application. */
  static final String THREADS = "web";

  static final String CONNECTIONS = connections(THREADS);
  private static final String BALANCER = "balancer";

  private static final String READ = "read";
  private static final String WRITE = "write";

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
   * @param servers of the application
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

    /** The same with other servers of the application. */
    Stage with(int others) {
      return new Stage(seconds, users, writing, speed, others, databases);
    }
  }

  /** Names of the threads of each server that any of the stages has. */
  static List<String> servers(List<Stage> stages) {
    int most = stages.stream().mapToInt(Stage::servers).max().orElseThrow();
    return IntStream.rangeClosed(1, most)
        .mapToObj(number -> number == 1 ? THREADS : THREADS + number)
        .toList();
  }

  /** Name of the connections of a server. */
  static String connections(String server) {
    return server + ".connections";
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
    List<String> servers = servers(stages);
    if (servers.size() > 1) {
      model.tier(balancer(servers));
    }
    servers.forEach(name -> model.tier(server(name, servers.size(), threads, connections, queue)));
    return model
        .station("database", database)
        .clients(Clients.closed(phases).thinking(exponential(THINK)))
        .build();
  }

  private Tier server(String name, int servers, int threads, int connections, int queue) {
    Tier.Builder tier =
        Tier.named(name)
            .workers(new Pool(threads, new Bounds(1, MOST_THREADS), queue))
            .cpu(Station.cpu(cores).overhead(overhead))
            .pool("connections", Pool.of(connections).between(1, MOST_CONNECTIONS));
    for (int n = 1; n <= servers; n++) {
      tier.serve(READ + among(n), program(reads)).serve(WRITE + among(n), program(writes));
    }
    return tier.build();
  }

  /** Divides requests evenly among as many servers as their names say. */
  private static Tier balancer(List<String> servers) {
    Tier.Builder tier = Tier.named(BALANCER);
    for (int n = 1; n <= servers.size(); n++) {
      List<Step> calls = List.of(call(servers.subList(0, n)));
      tier.serve(READ + among(n), calls).serve(WRITE + among(n), calls);
    }
    return tier.build();
  }

  private static Step call(List<String> servers) {
    double each = 1.0 / servers.size();
    return servers.size() == 1
        ? Step.call(servers.get(0))
        : Step.choose(
            servers.stream()
                .map(name -> Step.with(each, Step.call(name)))
                .toArray(Step.Case[]::new));
  }

  /** End of the names of requests that are divided among so many servers. */
  private static String among(int servers) {
    return servers == 1 ? "" : ", " + servers + " servers";
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
    String among = among(stage.servers);
    return Requests.mix(
        new TreeMap<>(Map.of(READ + among, 1 - stage.writing, WRITE + among, stage.writing)));
  }
}
