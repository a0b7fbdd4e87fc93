package io.tidepool.testbed.servers.seda;

import io.tidepool.testbed.servers.architectures.Listening;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import io.tidepool.testbed.servers.architectures.Threads;
import io.tidepool.testbed.servers.http.Exchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Staged event-driven architecture: one thread accepts and is told which connections are ready;
 * reading, processing and writing are stages, each with a queue and handlers of its own.
 */
public final class SedaServer implements Server {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");

  /** Events that a handler takes at once. */
  private static final int BATCH = 8;

  /** How long answers that are ready may take to leave when the server stops. */
  private static final long FAREWELL = TimeUnit.SECONDS.toNanos(2);

  /**
   * The handlers of a stage.
   *
   * @param executor what runs them; shut down with the server, but that of the stage that
   *     processes, which its owner shuts down before
   * @param count how many there are now
   */
  public record Handlers(ExecutorService executor, IntSupplier count) {}

  private final ServerSettings settings;
  private final Selector selector;
  private final ServerSocketChannel listening;
  private final int port;
  private final Thread acceptor = new Thread(this::run, "seda-accept");
  private final Handlers readers;
  private final Handlers writers;
  private final Stage<SedaConnection> read;
  private final Stage<Work> process;
  private final Stage<SedaConnection> write;
  private final Set<SedaConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /** A request between reading and writing. */
  record Work(SedaConnection connection, Exchange exchange) {}

  /**
   * Starts to listen.
   *
   * @throws BindException naming the port if it cannot be had
   */
  @SuppressWarnings("ThreadStartInConstructor") // As all servers: one that exists listens.
  public SedaServer(
      ServerSettings settings,
      Service service,
      Handlers readers,
      Handlers processors,
      Handlers writers)
      throws BindException {
    this.settings = settings;
    this.readers = readers;
    this.writers = writers;
    read = new Stage<>(readers.executor(), readers.count(), BATCH, SedaConnection::read);
    write = new Stage<>(writers.executor(), writers.count(), BATCH, SedaConnection::write);
    process =
        new Stage<>(
            processors.executor(),
            processors.count(),
            BATCH,
            work -> {
              try {
                service.serve(work.exchange());
              } catch (Error e) { // The client has its answer; the batch goes on.
                LOG.log(Level.WARNING, "a request failed", e);
              } finally {
                write.enqueue(work.connection());
              }
            });
    try {
      selector = Selector.open();
      listening = ServerSocketChannel.open();
      listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      Listening.bind(settings.port(), listening::bind);
      listening.configureBlocking(false);
      listening.register(selector, SelectionKey.OP_ACCEPT);
      port = listening.socket().getLocalPort();
    } catch (BindException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    acceptor.start();
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public int connections() {
    return connections.size();
  }

  private void run() {
    long sweep = settings.idleTimeout().toNanos() / 4;
    long nextSweep = System.nanoTime() + sweep;
    while (!stopping) {
      try {
        long patience = TimeUnit.NANOSECONDS.toMillis(nextSweep - System.nanoTime()) + 1;
        selector.select(this::ready, Math.max(1, patience));
        if (System.nanoTime() - nextSweep >= 0) {
          nextSweep = System.nanoTime() + sweep;
          long since = System.nanoTime() - settings.idleTimeout().toNanos();
          connections.stream().filter(one -> one.idleSince(since)).forEach(SedaConnection::close);
        }
      } catch (IOException | RuntimeException e) { // The others must be served on.
        LOG.log(Level.WARNING, "the accepting stage goes on after a failure", e);
      }
    }
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof SedaConnection connection) {
      connection.ready();
    } else if (key.isValid()) {
      accept();
    }
  }

  private void accept() {
    try {
      for (SocketChannel channel = listening.accept();
          channel != null;
          channel = listening.accept()) {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SelectionKey key = channel.register(selector, 0);
        SedaConnection connection = new SedaConnection(this, key, settings.limits());
        connections.add(connection);
        key.attach(connection);
        key.interestOps(SelectionKey.OP_READ);
      }
    } catch (IOException e) { // Out of file descriptors, or stopped: the others go on.
      LOG.log(Level.DEBUG, "a connection was not accepted", e);
    }
  }

  void toRead(SedaConnection connection) {
    read.enqueue(connection);
  }

  void toProcess(SedaConnection connection, Exchange exchange) {
    process.enqueue(new Work(connection, exchange));
  }

  void toWrite(SedaConnection connection) {
    write.enqueue(connection);
  }

  void wakeup() {
    selector.wakeup();
  }

  void closed(SedaConnection connection) {
    connections.remove(connection);
  }

  @Override
  public void stopAccepting() {
    try {
      listening.close();
      selector.wakeup(); // The port is free once the selector has let go of the key.
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while stopping", e);
    }
  }

  @Override
  public void close() {
    stopAccepting();
    long deadline = System.nanoTime() + FAREWELL;
    while (System.nanoTime() - deadline < 0
        && connections.stream().anyMatch(SedaConnection::writing)) {
      Thread.onSpinWait();
    }
    stopping = true;
    selector.wakeup();
    Threads.end(acceptor, Duration.ofNanos(FAREWELL));
    connections.forEach(SedaConnection::close);
    readers.executor().shutdown();
    writers.executor().shutdown();
    try {
      selector.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while stopping", e);
    }
  }
}
