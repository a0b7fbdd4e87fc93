package io.poolkeeper.testbed.servers;

import io.poolkeeper.ControlListener;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.handover.HandOver;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** A server as the command starts it, with four handlers, and the application of the moment. */
public final class TestServer implements AutoCloseable {

  /** Held by tests that need most of the files that this process may open. */
  public static final Lock TEN_THOUSAND_FILES = new ReentrantLock();

  /**
   * Time after which a limiter may write off a permit: longer than any test, since tests hold
   * requests while others wait.
   */
  private static final Duration HANG = Duration.ofDays(1);

  /** The application at {@code /app} from now on. */
  public volatile Application application = () -> "fine";

  private final @Nullable Handlers handlers;
  private final Server server;

  public TestServer(Architecture architecture, ServerSettings settings) throws BindException {
    this(
        architecture,
        settings,
        architecture.handOver() == HandOver.NONE
            ? null
            : handlers(
                architecture.handOver(), List.of(), "--pool", "fixed:4", "--mode", "frozen"));
  }

  private TestServer(
      Architecture architecture, ServerSettings settings, @Nullable Handlers handlers)
      throws BindException {
    this.handlers = handlers;
    Application served = () -> application.answer();
    Launch launch = new Launch(architecture, settings, 2, 0, "/app", served, Map.of());
    try {
      server = handlers == null ? launch.alone() : launch.with(handlers);
    } catch (BindException e) {
      endHandlers();
      throw e;
    }
  }

  /** A server behind a limit, as these options describe it. */
  public static TestServer admitting(ControlListener listener, String... options)
      throws BindException {
    return new TestServer(
        Architecture.ADMISSION,
        ServerSettings.DEFAULTS,
        handlers(HandOver.LIMITER, List.of(listener), options));
  }

  private static Handlers handlers(
      HandOver handOver, List<ControlListener> listeners, String... options) {
    PoolOptions described = new PoolOptions();
    new CommandLine(described).parseArgs(options);
    return described.describe("test").withHangAfter(HANG).start(handOver, listeners);
  }

  public Server server() {
    return server;
  }

  public RawClient connect() throws IOException {
    return new RawClient(server.port());
  }

  /** Sets the number of handlers, where there are any. */
  public void resize(int size) {
    if (handlers != null) {
      handlers.pool().resize(size);
    }
  }

  /** Returns the tasks that wait for a handler; 0 without handlers. */
  public int queued() {
    return handlers == null ? 0 : handlers.queued().getAsInt();
  }

  /**
   * Ends as the command does, with everything answered, and with patience for a busy machine.
   *
   * @return what was not answered
   */
  public List<String> drain() throws InterruptedException {
    return drain(Duration.ofMinutes(5));
  }

  /** The same with another patience. */
  public List<String> drain(Duration patience) throws InterruptedException {
    ExecutorService executor = handlers == null ? null : handlers.executor();
    Drain.drain(server, executor, patience);
    return server.shutdown().losses();
  }

  @Override
  public void close() {
    server.close();
    endHandlers();
  }

  private void endHandlers() {
    if (handlers != null) {
      handlers.loop().close();
      handlers.executor().shutdownNow();
    }
  }
}
