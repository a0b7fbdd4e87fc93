package io.tidepool.testbed.servers.seda;

import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import io.tidepool.testbed.servers.http.Exchange;
import io.tidepool.testbed.servers.nio.SelectorLoop;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.util.concurrent.ExecutorService;
import java.util.function.IntSupplier;

/**
 * Staged event-driven architecture: one thread accepts and is told which connections are ready;
 * reading, processing and writing are stages, each with a queue and handlers of its own.
 */
public final class SedaServer implements Server {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");

  /** Events that a handler takes at once. */
  private static final int BATCH = 8;

  /**
   * The handlers of a stage.
   *
   * @param executor what runs them; shut down with the server, but that of the stage that
   *     processes, which its owner shuts down before
   * @param count how many there are now
   */
  public record Handlers(ExecutorService executor, IntSupplier count) {}

  private final SelectorLoop acceptor;
  private final Handlers readers;
  private final Handlers writers;
  private final Stage<SedaConnection> read;
  private final Stage<Work> process;
  private final Stage<SedaConnection> write;

  /** A request between reading and writing. */
  record Work(SedaConnection connection, Exchange exchange) {}

  /**
   * Starts to listen.
   *
   * @throws BindException naming the port if it cannot be had
   */
  public SedaServer(
      ServerSettings settings,
      Service service,
      Handlers readers,
      Handlers processors,
      Handlers writers)
      throws BindException {
    acceptor = new SelectorLoop("seda-accept", settings);
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
    acceptor.start(key -> new SedaConnection(this, acceptor, key), () -> {});
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

  @Override
  public int port() {
    return acceptor.port();
  }

  @Override
  public int connections() {
    return acceptor.connections();
  }

  @Override
  public void drain() {
    acceptor.drain();
  }

  @Override
  public void close() {
    acceptor.close();
    readers.executor().shutdown();
    writers.executor().shutdown();
  }
}
