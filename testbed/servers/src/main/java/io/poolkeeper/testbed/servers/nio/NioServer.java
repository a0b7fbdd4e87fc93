package io.poolkeeper.testbed.servers.nio;

import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.http.Exchange;
import java.net.BindException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * The reactor: one thread accepts, reads and writes. It processes as well with an executor that
 * runs on the calling thread; with any other the requests are handed over, and the answers come
 * back to it to be written.
 */
public final class NioServer implements Server {

  private static final int READ_BYTES = 64 * 1024;

  private final Service service;
  private final Executor executor;
  private final SelectorLoop reactor;

  /** Belongs to the reactor, which serves one connection at a time. */
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(READ_BYTES);

  /** Connections with answers that another thread has made ready. */
  private final Queue<NioConnection> answered = new ConcurrentLinkedQueue<>();

  /**
   * Starts to listen.
   *
   * @throws BindException naming the port if it cannot be had
   */
  public NioServer(ServerSettings settings, Service service, Executor executor)
      throws BindException {
    this.service = service;
    this.executor = executor;
    reactor = new SelectorLoop("nio-reactor", settings);
    reactor.start(key -> new NioConnection(this, reactor, key), this::writeAnswers);
  }

  private void writeAnswers() {
    for (NioConnection next = answered.poll(); next != null; next = answered.poll()) {
      next.answered();
    }
  }

  void handOver(Exchange exchange, Runnable answered) {
    service.handOver(executor, exchange, answered);
  }

  /** The bytes that the reactor reads into, empty. */
  ByteBuffer bytes() {
    return bytes.clear();
  }

  /** Wakes the reactor for a connection that has an answer; called by any thread. */
  void signal(NioConnection connection) {
    answered.add(connection);
    reactor.wakeup();
  }

  @Override
  public int port() {
    return reactor.port();
  }

  @Override
  public int connections() {
    return reactor.connections();
  }

  @Override
  public boolean settled() {
    return reactor.settled();
  }

  @Override
  public Shutdown shutdown() {
    return reactor.shutdown();
  }

  @Override
  public void drain() {
    reactor.drain();
  }

  @Override
  public void close() {
    reactor.close();
  }
}
