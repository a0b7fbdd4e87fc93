package io.poolkeeper.testbed.servers;

import io.poolkeeper.ControlListener;
import io.poolkeeper.console.Console;
import io.poolkeeper.record.RunRecorder;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.applications.ApplicationSettings;
import io.poolkeeper.testbed.applications.Applications;
import io.poolkeeper.testbed.applications.Connections;
import io.poolkeeper.testbed.applications.downstream.DownstreamAddress;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.commands.Service;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.handover.HandOver;
import io.poolkeeper.testbed.servers.http.Limits;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves one application behind one pool until standard input closes or SIGTERM comes. */
@Command(
    name = "poolkeeper serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Serves an application over HTTP/1.1 on the loopback interface and tunes its pool.",
      "Prints one line of JSON when it is ready; ends when standard input closes or on SIGTERM,",
      "after the requests under way have been answered."
    },
    footer = {
      "",
      "Example: 1 to 64 workers, a decision every half second, recorded in /tmp/run",
      "  poolkeeper serve --application prime1m --pool throughput --bounds 1..64 --window 500ms \\",
      "      --record /tmp/run"
    })
public final class ServerMain implements Callable<Integer> {

  @Option(
      names = "--application",
      required = true,
      paramLabel = "NAME",
      description = {
        "prime1m, prime10m, prime (of --n), dbwrite or dbread; io-10 or io-1024 (bytes), cpu-11,",
        "cpu-541, cpu-27059, cpu-66601 or cpu-1303031 (is it prime?), memory-10 or memory-1000",
        "(integers sorted), db (as dbwrite); call, call20 or call400 (of a downstream server),",
        "report (holds memory), hot-rows (transactions), cpu (4 ms) or lock (a critical section)"
      })
  private String application = "";

  @Option(
      names = "--beside",
      split = ",",
      paramLabel = "NAME",
      description = {
        "Other applications that the same handlers serve, each at /NAME; may be repeated, or be a",
        "list with commas"
      })
  private List<String> otherNames = List.of();

  @Option(
      names = "--n",
      defaultValue = "11",
      description = "The number that prime tests. Default: ${DEFAULT-VALUE}")
  private int n;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = {
        "Of what the application draws: servers of one seed read the same rows, and test the",
        "same numbers, in the same order. Default: ${DEFAULT-VALUE}"
      })
  private long seed;

  @Option(
      names = "--port",
      defaultValue = "0",
      description = "Port; 0, the default, for a free one")
  private int port;

  @Option(
      names = "--admin-port",
      description = {
        "Port of the admin endpoint; 0, the default, for a free one. A server without a pool has",
        "none"
      })
  private @Nullable Integer adminPort;

  @Option(
      names = "--architecture",
      paramLabel = "NAME",
      description = {
        "How it reads, hands over and writes: ${COMPLETION-CANDIDATES}; docs/architectures.md",
        "draws them. Default: netty-queue, or netty with --pool plain"
      },
      completionCandidates = Architectures.class)
  private @Nullable String architecture;

  @Option(
      names = "--event-loops",
      description = {
        "Threads that read and write, of netty, and that complete, of nio2. Default: as many as",
        "processors"
      })
  private int eventLoops = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--idle-timeout",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description = "Silent connections are closed after this time. Default: ${DEFAULT-VALUE}")
  private Duration idleTimeout = Duration.ZERO;

  @Option(
      names = "--jdbc-url",
      paramLabel = "URL",
      description = {
        "Address of the database, for those that need one. Default: a MariaDB that is started",
        "for this server, empty, and ends with it"
      })
  private @Nullable String jdbcUrl;

  @Option(
      names = "--connections",
      defaultValue = "per-request",
      description = "per-request, or pool:N for at most N connections. Default: ${DEFAULT-VALUE}")
  private String connections = "";

  @Option(
      names = "--downstream",
      paramLabel = "HOST:PORT",
      description = "Address of the downstream server, for those that call one")
  private @Nullable String downstream;

  @Option(
      names = "--downstream-timeout",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "How long an answer of it is waited for. Default: ${DEFAULT-VALUE}")
  private Duration downstreamTimeout = Duration.ZERO;

  @Option(
      names = "--lock-share",
      defaultValue = "0.25",
      description = "Share of the work of lock in its critical section. Default: ${DEFAULT-VALUE}")
  private double lockShare;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = "Writes windows and decisions of the pool there")
  private @Nullable Path record;

  /** The names of the architectures, for the help. */
  private static final class Architectures implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Architecture.names().iterator();
    }
  }

  @Mixin private PoolOptions pool = new PoolOptions();

  /** Resources that must be closed, the last opened first. */
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private volatile @Nullable EmbeddedDatabase embedded;

  private final PrintStream out;

  ServerMain(PrintStream out) {
    this.out = out;
  }

  /** Exit codes: 0 after a stop, 1 if something failed, 2 for what the caller can put right. */
  public static void main(String[] args) {
    Termination.exitWithZero();
    System.exit(
        StandardOutput.guard(System.err, out -> commandLine(out, System.err).execute(args)));
  }

  /** The command, with one clear line for everything that is wrong. */
  static CommandLine commandLine(PrintStream out, PrintStream err) {
    return Commands.of(
        new ServerMain(out),
        out,
        err,
        e -> e instanceof IllegalArgumentException || e instanceof BindException);
  }

  @Override
  public Integer call() throws IOException, SQLException {
    Map<String, Object> ready = begin();
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop"));
    Rehearsal.at((Integer) Objects.requireNonNull(ready.get("port")));
    Service.announce(out, ready);
    Service.awaitEnd(System.in);
    return 0;
  }

  /**
   * Starts the server and returns what it says of itself; nothing of it is left if that fails.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  Map<String, Object> begin() throws IOException, SQLException {
    try {
      return start();
    } catch (IOException | SQLException | RuntimeException e) {
      stop();
      throw e;
    }
  }

  private Map<String, Object> start() throws IOException, SQLException {
    OpenFiles.readEarly();
    OpenFiles.warnIfFew(System.err);
    ServerSettings settings = new ServerSettings(port, idleTimeout, Limits.DEFAULTS);
    Architecture chosen = pool.choose(architecture);
    DescribedPool described =
        chosen.handOver() == HandOver.NONE ? null : pool.describe(application);
    if (described == null && adminPort != null) {
      throw new IllegalArgumentException(
          "admin-port must be left out: %s has no pool, and so no admin endpoint"
              .formatted(chosen.name()));
    }
    if (described == null && record != null) {
      throw new IllegalArgumentException(
          "record must be left out: %s has no pool, and so no windows".formatted(chosen.name()));
    }
    DownstreamAddress called =
        downstream == null ? null : DownstreamAddress.of(downstream, downstreamTimeout);
    ApplicationSettings parameters = new ApplicationSettings(n, seed, null, called, lockShare);
    Map<String, Object> ready = new LinkedHashMap<>();
    DataSource database = openDatabase(ready);
    if (database != null) {
      parameters = parameters.with(database);
    }
    Application served = Applications.named(application, parameters);
    open.push(served);
    Map<String, Application> others = new LinkedHashMap<>();
    for (String name : otherNames) {
      Application other = Applications.named(name, parameters);
      open.push(other);
      others.put("/" + name, other);
    }
    Launch launch =
        new Launch(
            chosen, settings, eventLoops, pool.groupThreads(), "/" + application, served, others);
    if (described == null) {
      Server server = launch.alone();
      drainLater(server, null);
      ready.put("port", server.port());
    } else {
      startHandlers(launch, described, ready);
    }
    ready.put("architecture", chosen.name());
    ready.put("seed", seed);
    return ready;
  }

  /** Connections to the database that is named, or to one of its own where one is needed. */
  private @Nullable DataSource openDatabase(Map<String, Object> ready)
      throws IOException, SQLException {
    String url = jdbcUrl;
    if (url == null) {
      // Whatever is wrong with the options is reported before seconds go into a start.
      Stream.concat(Stream.of(application), otherNames.stream())
          .forEach(name -> Names.require("application", name, Applications.NAMES));
      Connections.requireMode(connections);
      String needing =
          Stream.concat(Stream.of(application), otherNames.stream())
              .filter(Applications::needsDatabase)
              .findFirst()
              .orElse(null);
      if (needing == null) {
        return null;
      }
      EmbeddedDatabase own = EmbeddedDatabase.start(needing);
      open.push(own);
      embedded = own;
      url = own.jdbcUrl();
      ready.put("jdbcUrl", url);
      ready.put("databasePid", own.pid());
    }
    DataSource database = Connections.open(url, connections);
    if (database instanceof AutoCloseable closeable) {
      open.push(closeable);
    }
    return database;
  }

  private void startHandlers(Launch launch, DescribedPool described, Map<String, Object> ready)
      throws IOException {
    History history = new History();
    List<ControlListener> listeners = new ArrayList<>(List.of(history));
    if (record != null) {
      RunRecorder recorder = new RunRecorder(record);
      open.push(recorder);
      listeners.add(recorder);
    }
    Handlers handlers = described.start(launch.architecture().handOver(), listeners);
    open.push(handlers.loop());
    Server server;
    try {
      server = launch.with(handlers);
    } catch (BindException e) {
      handlers.executor().shutdown();
      throw e;
    }
    drainLater(server, handlers.executor());
    Admin admin =
        new Admin(
            adminPort == null ? 0 : adminPort, application, handlers, history, server::connections);
    open.push(admin);
    Console console = Console.open().watch(handlers.pool(), handlers.loop());
    open.push(console);
    ready.put("port", server.port());
    ready.put("adminPort", admin.port());
    ready.put("console", console.address());
    ready.put("pools", Map.of(application, described.setup().document()));
  }

  /** Has the server answer what was sent, and say what it could not. */
  private void drainLater(Server server, @Nullable ExecutorService executor) {
    open.push(
        () -> {
          Drain.drain(server, executor, Drain.PATIENCE);
          server.shutdown().losses().forEach(loss -> System.err.println("poolkeeper: " + loss));
        });
  }

  /** Ends what was started, after the requests under way have been answered. */
  synchronized void stop() {
    EmbeddedDatabase own = embedded;
    if (own != null) {
      own.expectEnd();
    }
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) { // The rest must be closed all the same.
        System.err.println("poolkeeper: while stopping: " + e.getMessage());
      }
    }
  }
}
