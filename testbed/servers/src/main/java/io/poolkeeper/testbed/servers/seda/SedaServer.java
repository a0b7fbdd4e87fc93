package io.poolkeeper.testbed.servers.seda;

import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.nio.SelectorLoop;
import java.net.BindException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * Staged event-driven architecture: one thread accepts and is told which connections are ready;
 * reading, processing and writing are stages, each with a queue and handlers of its own.
 *
 * <p>The stages that read and write take events in batches. The one that processes takes them one
 * by one, straight from the queue of its executor: what waits there is what is measured, and what
 * its number of handlers is tuned by.
 */
public final class SedaServer implements Server {

  private final SelectorLoop acceptor;
  private final Stage<SedaConnection> read;
  private final Service service;
  private final Executor processors;
  private final Stage<SedaConnection> write;

  /**
   * Starts to listen.
   *
   * @param readers handlers of the stage that reads; shut down with the server, or if there is none
   * @param processors handlers of the stage that processes
   * @param writers handlers of the stage that writes; shut down likewise
   * @param handlers how many read, and how many write
   * @throws BindException naming the port if it cannot be had
   */
  public SedaServer(
      ServerSettings settings,
      Service service,
      ExecutorService readers,
      Executor processors,
      ExecutorService writers,
      int handlers)
      throws BindException {
    this.service = service;
    this.processors = processors;
    try {
      acceptor = new SelectorLoop("seda-accept", settings);
    } catch (BindException e) {
      readers.shutdown();
      writers.shutdown();
      throw e;
    }
    read = new Stage<>(readers, handlers, SedaConnection::read);
    write = new Stage<>(writers, handlers, SedaConnection::write);
    acceptor.start(key -> new SedaConnection(this, acceptor, key), () -> {});
  }

  void toRead(SedaConnection connection) {
    read.enqueue(connection);
  }

  void toProcess(SedaConnection connection, Exchange exchange) {
    service.handOver(processors, exchange, () -> write.enqueue(connection));
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
  public boolean settled() {
    return acceptor.settled();
  }

  @Override
  public Shutdown shutdown() {
    return acceptor.shutdown();
  }

  @Override
  public void drain() {
    acceptor.drain();
  }

  @Override
  public void close() {
    acceptor.close();
    read.close();
    write.close();
  }
}
