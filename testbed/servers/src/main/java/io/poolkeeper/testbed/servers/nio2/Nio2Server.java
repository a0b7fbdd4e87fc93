package io.poolkeeper.testbed.servers.nio2;

import io.poolkeeper.testbed.servers.architectures.IdleWatch;
import io.poolkeeper.testbed.servers.architectures.LastConnection;
import io.poolkeeper.testbed.servers.architectures.PortBinding;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The proactor: reads and writes are begun, and handlers of their completion go on from there. They
 * process as well with an executor that runs on the calling thread.
 */
public final class Nio2Server implements Server {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private static final Executor LATER =
      CompletableFuture.delayedExecutor(PortBinding.RESPITE.toNanos(), TimeUnit.NANOSECONDS);

  private final ServerSettings settings;
  private final Service service;
  private final Executor executor;
  private final AsynchronousChannelGroup group;
  private final AsynchronousServerSocketChannel listening;
  private final int port;
  private final Set<Nio2Connection> connections = ConcurrentHashMap.newKeySet();
  private final IdleWatch idleWatch;
  private final LastConnection last = new LastConnection();
  private final Shutdown ending = new Shutdown();

  /**
   * Starts to listen.
   *
   * @param threads that run completion handlers, 1 or more
   * @throws BindException naming the port if it cannot be had
   */
  public Nio2Server(ServerSettings settings, Service service, Executor executor, int threads)
      throws BindException {
    this.settings = settings;
    this.service = service;
    this.executor = executor;
    try {
      group =
          AsynchronousChannelGroup.withFixedThreadPool(
              threads, body -> new Thread(body, "nio2-completion"));
      listening = AsynchronousServerSocketChannel.open(group);
      listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      PortBinding.bind(settings.port(), group::shutdownNow, listening::bind);
      port = ((InetSocketAddress) listening.getLocalAddress()).getPort();
    } catch (BindException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    accept();
    idleWatch = new IdleWatch(settings.idleTimeout(), connections);
  }

  private void accept() {
    try {
      listening.accept(this, new Accepted());
    } catch (ShutdownChannelGroupException e) {
      LOG.log(Level.DEBUG, "no more connections", e);
    }
  }

  /** A connection has come, or none will. */
  private static final class Accepted
      implements CompletionHandler<AsynchronousSocketChannel, Nio2Server> {
    @Override
    public void completed(AsynchronousSocketChannel channel, Nio2Server server) {
      if (server.isLast(channel)) {
        return;
      }
      try {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "a connection was gone at once", e);
      }
      Nio2Connection connection = new Nio2Connection(server, channel, server.settings.limits());
      server.connections.add(connection);
      server.accept(); // Not before it is among them: the next one may be the last.
      if (server.group.isShutdown()) { // Too late to be among those that close() cuts.
        connection.cut();
        return;
      }
      connection.proceed();
    }

    @Override
    public void failed(Throwable reason, Nio2Server server) {
      if (server.listening.isOpen()) { // Out of file descriptors: the next one may have one.
        LOG.log(Level.DEBUG, "a connection was not accepted", reason);
        LATER.execute(server::accept);
      }
    }
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public int connections() {
    return connections.size();
  }

  Service service() {
    return service;
  }

  Executor executor() {
    return executor;
  }

  void closed(Nio2Connection connection) {
    connections.remove(connection);
  }

  @Override
  public Shutdown shutdown() {
    return ending;
  }

  @Override
  public boolean settled() {
    return !listening.isOpen() && connections.stream().allMatch(Nio2Connection::settled);
  }

  @Override
  public void drain() {
    if (!ending.begin()) {
      return;
    }
    try {
      last.connect(port);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "nobody is let in any more", e);
      stopListening();
    }
    connections.forEach(Nio2Connection::proceed); // Those that are idle look too.
  }

  /** Whether nobody stands behind this connection who came in time; nobody is let in then. */
  private boolean isLast(AsynchronousSocketChannel channel) {
    try {
      if (!last.is(channel.getRemoteAddress())) {
        return false;
      }
      channel.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a connection was gone at once", e);
      return false;
    }
    stopListening();
    return true;
  }

  private void stopListening() {
    try {
      listening.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while stopping", e);
    }
  }

  @Override
  public void close() {
    drain();
    stopListening();
    idleWatch.close();
    Shutdown.await(
        Shutdown.FAREWELL, () -> connections.stream().noneMatch(Nio2Connection::writing));
    connections.forEach(Nio2Connection::linger);
    Shutdown.await(Shutdown.FAREWELL, connections::isEmpty);
    // An end at once would close a channel that is just being accepted, before the JDK has made it.
    group.shutdown();
    connections.forEach(Nio2Connection::cut);
    Shutdown.await(Shutdown.FAREWELL, group::isTerminated);
    if (group.isTerminated()) {
      return;
    }
    try {
      group.shutdownNow();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while stopping", e);
    }
  }
}
