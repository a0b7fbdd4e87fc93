package io.poolkeeper.testbed.servers;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.VirtualThreads;
import io.poolkeeper.testbed.servers.blocking.BlockingServer;
import io.poolkeeper.testbed.servers.handover.ActorExecutor;
import io.poolkeeper.testbed.servers.handover.RingExecutor;
import io.poolkeeper.testbed.servers.netty.NettyServer;
import io.poolkeeper.testbed.servers.nio.NioServer;
import io.poolkeeper.testbed.servers.nio2.Nio2Server;
import io.poolkeeper.testbed.servers.seda.SedaServer;
import java.net.BindException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts a server of an architecture: what reads and writes, which is a package each, is given an
 * executor, which is the hand-over. Blocking and Blocking Disruptor are the same server with
 * another executor; {@link DescribedPool#start} makes it.
 *
 * @param eventLoops threads that read and write, of those that may have several
 * @param groupThreads threads of Netty's own to which plain Netty hands over; 0 for none
 * @param path where the application is found
 * @param others the other applications that the same handlers serve, by their paths
 */
record Launch(
    Architecture architecture,
    ServerSettings settings,
    int eventLoops,
    int groupThreads,
    String path,
    Application application,
    Map<String, Application> others) {

  /** Handlers of the stages that read and write, as published: four. */
  private static final int STAGE = 4;

  /** Time that a blocking handler reads before it checks whether another connection waits. */
  private static final Duration LEISURE = Duration.ofMillis(20);

  /** The same where none ever waits, and only the end of the server is looked for. */
  private static final Duration SECLUSION = Duration.ofSeconds(1);

  Launch {
    if (eventLoops < 1) {
      throw new IllegalArgumentException("event-loops must be >= 1, but is " + eventLoops);
    }
    if (architecture.equals(Architecture.BASELINE) && !others.isEmpty()) {
      throw new IllegalArgumentException(
          "beside must be left out: " + architecture.name() + " serves one application");
    }
  }

  /**
   * Starts one whose readers process.
   *
   * @throws BindException naming the port if it cannot be had
   */
  Server alone() throws BindException {
    return switch (architecture.inputOutput()) {
      case NIO -> new NioServer(settings, service(), Runnable::run);
      case NIO2 -> new Nio2Server(settings, service(), Runnable::run, eventLoops);
      case NETTY -> new NettyServer(settings, service(), Runnable::run, eventLoops);
      case PLAIN_NETTY -> NettyServer.plain(settings, path, application, eventLoops, groupThreads);
      case VIRTUAL -> new BlockingServer(settings, service(), VirtualThreads.executor(), SECLUSION);
      case BLOCKING, SEDA -> throw new AssertionError(architecture);
    };
  }

  /**
   * Starts one that hands over.
   *
   * @throws BindException naming the port if it cannot be had
   */
  Server with(Handlers handlers) throws BindException {
    ExecutorService executor = handlers.executor();
    return switch (architecture.inputOutput()) {
      case BLOCKING -> new BlockingServer(settings, service(), executor, LEISURE);
      case NIO -> new NioServer(settings, service(), executor);
      case NIO2 -> new Nio2Server(settings, service(), executor, eventLoops);
      case SEDA ->
          new SedaServer(
              settings,
              service(),
              stage("read", executor),
              executor,
              stage("write", executor),
              STAGE);
      case NETTY -> new NettyServer(settings, service(), executor, eventLoops);
      case VIRTUAL ->
          new BlockingServer(
              settings, admitted((AdaptiveLimiter) handlers.pool()), executor, SECLUSION);
      case PLAIN_NETTY -> throw new AssertionError(architecture);
    };
  }

  private Service service() {
    return new Service(all());
  }

  private Map<String, Application> all() {
    Map<String, Application> all = new HashMap<>(others);
    all.put(path, application);
    return all;
  }

  /**
   * Returns the handlers of a stage that reads or writes; the published number, whatever that of
   * those that process.
   *
   * @param processors what processes, in whose system actors take their place
   */
  private ExecutorService stage(String name, ExecutorService processors) {
    Bounds bounds = new Bounds(STAGE, STAGE);
    Objective objective = Objective.throughput();
    return switch (architecture.handOver()) {
      case DISRUPTOR -> new RingExecutor(name, bounds, STAGE, objective);
      case ACTOR -> new ActorExecutor(name, bounds, STAGE, objective, (ActorExecutor) processors);
      default -> Executors.newFixedThreadPool(STAGE, body -> new Thread(body, "seda-" + name));
    };
  }

  /** The applications, asked by as many at once as the limiter admits. */
  private Service admitted(AdaptiveLimiter limiter) {
    Map<String, Application> all = all();
    all.replaceAll((path, application) -> admitted(application, limiter));
    return new Service(all);
  }

  private static Application admitted(Application application, AdaptiveLimiter limiter) {
    return new Application() {
      @Override
      public String answer() throws Exception {
        try (AdaptiveLimiter.Permit permit = limiter.acquire()) {
          String answer = application.answer();
          permit.success();
          return answer;
        }
      }
    };
  }
}
