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
   */
  record Stage(double seconds, int users, double writing, double speed) {}

  private IntToDoubleFunction database(double speed) {
    return n -> speed * rate * n / (1 + contention * (n - 1) + coherence * (double) n * (n - 1));
  }

  /** The service under a sequence of conditions. */
  Model model(int threads, int connections, int queue, List<Stage> stages) {
    Station.Curve database = Station.curve(database(stages.get(0).speed));
    List<Phase> phases = new ArrayList<>();
    double at = 0;
    for (Stage stage : stages) {
      if (at > 0) {
        database = database.then(at, database(stage.speed));
      }
      phases.add(new Phase(stage.seconds, stage.users).sending(mix(stage.writing)));
      at += stage.seconds;
    }
    Station.Cpu cpu = Station.cpu(cores).overhead(overhead);
    Tier web =
        Tier.named(THREADS)
            .workers(new Pool(threads, new Bounds(1, MOST_THREADS), queue))
            .cpu(cpu)
            .pool("connections", Pool.of(connections).between(1, MOST_CONNECTIONS))
            .serve("read", program(reads))
            .serve("write", program(writes))
            .build();
    return Model.builder()
        .tier(web)
        .station("database", database)
        .clients(Clients.closed(phases).thinking(exponential(THINK)))
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

  private static Requests mix(double writing) {
    return Requests.mix(new TreeMap<>(Map.of("read", 1 - writing, "write", writing)));
  }
}
