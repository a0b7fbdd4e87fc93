package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.Objective;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Service;
import io.poolkeeper.testbed.commands.StopHook;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.ntier.database.DatabaseAddress;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs the bulletin board until standard input closes or SIGTERM comes. Prints one line of JSON
 * when it is ready, and nothing else on standard output.
 */
@Command(
    name = "board",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Serves the bulletin board over HTTP on the loopback interface: 24 interactions, one URL each.",
      "Its database is filled by DataMain. Prints one line of JSON when it is ready; ends when",
      "standard input closes or SIGTERM comes, after the requests under way have been answered."
    },
    footer = {
      "",
      "While it runs, on its admin port:",
      "  GET  /tier                          cumulative figures, nanoseconds and counts",
      "  POST /size?threads=N&connections=N  resizes either pool, or both",
      "  POST /mode?mode=active              has the controllers of --tuning decide"
    })
public final class BoardMain implements Callable<Integer> {

  private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

  @Option(
      names = "--port",
      defaultValue = "0",
      description = "Port; 0, the default, for a free one")
  private int port;

  @Option(
      names = "--admin-port",
      defaultValue = "0",
      description = "Port of figures and sizes; 0, the default, for a free one")
  private int adminPort;

  @Option(
      names = "--threads",
      defaultValue = "200",
      description = "Threads that handle requests, 1..2000. Default: ${DEFAULT-VALUE}, Tomcat's")
  private int threads;

  @Option(
      names = "--connections",
      defaultValue = "10",
      description = "Connections to the database, 1..1000. Default: ${DEFAULT-VALUE}, HikariCP's")
  private int connections;

  @Mixin private DatabaseAddress address = new DatabaseAddress();

  @Option(
      names = "--connection-timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = {
        "Longest wait of a request for a connection, 1..3600 s; then it is answered with 503.",
        "Default: ${DEFAULT-VALUE}, HikariCP's"
      })
  private int connectionTimeout;

  @Option(
      names = "--tuning",
      paramLabel = "NAME",
      description = {
        "Controllers of both pools: independent (two response curves), coordinated (a pair), or one",
        "for each pool: scg (Sora's), sct (ConScale's), dcm (DCM's). They decide once the mode is active. Default: ${DEFAULT-VALUE}"
      })
  private String tuning = "independent";

  @Option(
      names = "--admission",
      paramLabel = "NAME",
      description = {
        "Overload control in front of the pages: none, breakwater-style, dagor-style or seda-style.",
        "Requests beyond its limit are answered with 503. Default: ${DEFAULT-VALUE}"
      })
  private String admission = "none";

  @Option(
      names = "--goodput-bound",
      paramLabel = "MILLIS",
      defaultValue = "500",
      description = {
        "Longest response time of an answer that counts for the tuning, 1..60000 ms.",
        "Default: ${DEFAULT-VALUE}"
      })
  private int goodputBound;

  private final PrintStream out;
  private final PrintStream err;
  private final CountDownLatch stopped = new CountDownLatch(1);

  private BoardMain(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Exit codes: 0 when its input has ended, 143 after SIGTERM, 1 if something failed, 2 for what
   * the caller can put right.
   */
  public static void main(String[] args) {
    System.exit(commandLine(System.out, System.err).execute(args));
  }

  static CommandLine commandLine(PrintStream out, PrintStream err) {
    return Commands.of(
        new BoardMain(out, err),
        out,
        err,
        e -> e instanceof IllegalArgumentException || e instanceof BindException);
  }

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    if (connectionTimeout < 1 || connectionTimeout > 3600) {
      throw new IllegalArgumentException(
          "connection-timeout must be within 1..3600 s, but is " + connectionTimeout);
    }
    if (goodputBound < 1 || goodputBound > 60_000) {
      throw new IllegalArgumentException(
          "goodput-bound must be within 1..60000 ms, but is " + goodputBound);
    }
    PoolTuning controllers =
        PoolTuning.named(tuning, Objective.goodput(Duration.ofMillis(goodputBound)));
    Optional<SampleRule> limit = AdmissionValve.rule(admission);
    Duration patience = Duration.ofSeconds(connectionTimeout);
    StopHook hook = new StopHook(stopped::countDown, LONGEST_STOP, err);
    try (Board board =
            new Board(port, threads, connections, address, patience, controllers, limit);
        BoardAdmin admin = new BoardAdmin(adminPort, board)) {
      Map<String, Object> ready = new LinkedHashMap<>();
      ready.put("ready", true);
      ready.put("port", board.port());
      ready.put("admin_port", admin.port());
      Service.announce(out, ready);
      Thread input = new Thread(this::awaitInput, "standard input");
      input.setDaemon(true);
      input.start();
      stopped.await();
    } finally {
      hook.close();
    }
    return 0;
  }

  private void awaitInput() {
    try {
      Service.awaitEnd(System.in);
    } catch (IOException e) {
      // It cannot be read any more, which is its end.
    }
    stopped.countDown();
  }
}
