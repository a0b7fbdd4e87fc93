package io.poolkeeper.testbed.hosts;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.commands.Service;
import io.poolkeeper.testbed.hosts.servlet.WorkServlet;
import io.poolkeeper.tomcat.TomcatExecutor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves {@link WorkServlet} on an embedded Tomcat until standard input ends. */
@Command(name = "tomcat", mixinStandardHelpOptions = true, sortOptions = false)
public final class TomcatMain implements Callable<Integer> {

  /** Kept, as the JDK forgets the level of a logger that nobody refers to. */
  private static final Logger LOGGER = Logger.getLogger("org.apache");

  private static final int MOST_THREADS = 10_000;

  @Option(
      names = "--threads",
      defaultValue = "200",
      description = "Most threads, 1..10000. Default: ${DEFAULT-VALUE}, Tomcat's")
  private int threads = 200;

  @Option(names = "--adaptive", description = "Sizes the threads while it runs")
  private boolean adaptive;

  private final PrintStream out;

  private TomcatMain(PrintStream out) {
    this.out = out;
  }

  /** Exit codes: 0 after its end, 1 if something failed, 2 for what the caller can put right. */
  public static void main(String[] args) {
    System.exit(
        Commands.of(
                new TomcatMain(System.out),
                System.out,
                System.err,
                e -> e instanceof IllegalArgumentException)
            .execute(args));
  }

  @Override
  public Integer call() throws IOException, LifecycleException {
    if (threads < 1 || threads > MOST_THREADS) {
      throw new IllegalArgumentException(
          "threads must be 1..%d, but is %d".formatted(MOST_THREADS, threads));
    }
    LOGGER.setLevel(Level.SEVERE);
    Tomcat tomcat = new Tomcat();
    Path folder = Files.createTempDirectory("poolkeeper-tomcat");
    // However it ends: its input, SIGTERM, or Ctrl-C.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(tomcat, folder), "stop"));
    configure(tomcat, folder);
    tomcat.start();
    Service.announce(out, Map.of("port", tomcat.getConnector().getLocalPort()));
    Service.awaitEnd(System.in);
    return 0;
  }

  private static void end(Tomcat tomcat, Path folder) {
    try {
      tomcat.stop();
      tomcat.destroy();
      Folders.delete(folder);
    } catch (LifecycleException | IOException e) {
      System.err.println("poolkeeper: " + e.getMessage());
    }
  }

  private void configure(Tomcat tomcat, Path folder) {
    tomcat.setBaseDir(folder.toString());
    Connector connector = new Connector();
    connector.setProperty("address", "127.0.0.1");
    connector.setPort(0);
    connector.setThrowOnFailure(true);
    tomcat.setConnector(connector);
    tomcat.getHost().setAutoDeploy(false);
    Context context = tomcat.addContext("", folder.toString());
    Tomcat.addServlet(context, "work", new WorkServlet()).setLoadOnStartup(1);
    context.addServletMappingDecoded("/*", "work");
    if (adaptive) {
      TomcatExecutor.install(connector, this::bound);
    } else {
      connector.setProperty("maxThreads", Integer.toString(threads));
    }
  }

  private void bound(AdaptiveExecutor.Builder pool) {
    pool.bounds(1, threads);
  }
}
