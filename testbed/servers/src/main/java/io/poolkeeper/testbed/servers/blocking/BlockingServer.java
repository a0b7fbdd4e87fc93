package io.poolkeeper.testbed.servers.blocking;

import io.poolkeeper.testbed.servers.architectures.IdleWatch;
import io.poolkeeper.testbed.servers.architectures.LastConnection;
import io.poolkeeper.testbed.servers.architectures.PortBinding;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.architectures.Threads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread accepts, and hands each connection to a handler, which reads, processes and writes on
 * it with blocking calls.
 *
 * <p>Handlers are few and connections stay. So a handler keeps a connection only while no other one
 * waits for a handler; else it serves what has come, waiting {@value #PATIENCE_MS} ms for it at
 * most, and puts the connection behind the others. Every idle connection costs the busy ones that
 * much of a handler in each round.
 */
public final class BlockingServer implements Server {

  /** Time that a handler waits for bytes of a connection while other connections wait for it. */
  static final int PATIENCE_MS = 1;

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private final ServerSettings settings;
  private final Service service;
  private final ExecutorService handlers;
  private final ServerSocket listening;
  private final Thread acceptor = new Thread(this::accept, "acceptor");
  private final Set<BlockingConnection> connections = ConcurrentHashMap.newKeySet();
  private final IdleWatch idleWatch;
  private final Duration leisure;
  private final LastConnection last = new LastConnection();
  private final Shutdown ending = new Shutdown();

  /** Connections that wait for a handler. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** Served ones that found no room among those; each handler that makes room lets one in. */
  private final Deque<BlockingConnection> resting = new ConcurrentLinkedDeque<>();

  /**
   * Starts to listen.
   *
   * @param handlers shut down by the caller before the server is closed
   * @param leisure how long a handler that nobody waits for reads before it looks whether anybody
   *     does, 1 ms or more
   * @throws BindException naming the port if it cannot be had
   */
  @SuppressWarnings("ThreadStartInConstructor") // As all servers: one that exists listens.
  public BlockingServer(
      ServerSettings settings, Service service, ExecutorService handlers, Duration leisure)
      throws BindException {
    this.leisure = leisure;
    this.settings = settings;
    this.service = service;
    this.handlers = handlers;
    try {
      listening = new ServerSocket();
      listening.setReuseAddress(true);
      PortBinding.bind(settings.port(), listening, listening::bind);
    } catch (BindException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    acceptor.start();
    idleWatch = new IdleWatch(settings.idleTimeout(), connections);
  }

  @Override
  public int port() {
    return listening.getLocalPort();
  }

  @Override
  public int connections() {
    return connections.size();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        if (last.is(socket.getRemoteSocketAddress())) {
          socket.close();
          listening.close();
          return;
        }
        socket.setTcpNoDelay(true);
        BlockingConnection connection = new BlockingConnection(this, socket, settings.limits());
        connections.add(connection);
        if (!toFirstHandler(connection)) {
          connection.refuse();
        }
      } catch (IOException e) { // Out of file descriptors, or stopped: the others go on.
        LOG.log(Level.DEBUG, "a connection was not accepted", e);
        if (!listening.isClosed()) {
          LockSupport.parkNanos(PortBinding.RESPITE.toNanos());
        }
      }
    }
  }

  /** The same for one that has just come, where nothing may end the thread that accepts. */
  private boolean toFirstHandler(BlockingConnection connection) {
    try {
      return toHandler(connection);
    } catch (OutOfMemoryError e) { // Of threads as well.
      LOG.log(Level.WARNING, "no handler for a connection is to be had", e);
      return false;
    }
  }

  /** Puts a connection behind those that wait for a handler; false if there is no room for it. */
  private boolean toHandler(BlockingConnection connection) {
    waiting.incrementAndGet();
    boolean taken = false;
    try {
      handlers.execute(
          () -> {
            waiting.decrementAndGet();
            letIn();
            connection.serve();
          });
      taken = true;
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "no room for a connection", e);
    } finally {
      if (!taken) {
        waiting.decrementAndGet();
      }
    }
    return taken;
  }

  /** Puts a connection that was served behind the others; it stays open if there is no room. */
  void again(BlockingConnection connection) {
    if (!resting.isEmpty() || !toHandler(connection)) {
      resting.add(connection);
      letIn();
    }
  }

  /** Lets in as many of those that rest as there is room for. */
  private void letIn() {
    for (BlockingConnection next = resting.poll(); next != null; next = resting.poll()) {
      if (!toHandler(next)) {
        resting.addFirst(next);
        if (waiting.get() > 0 || handlers.isShutdown()) {
          return; // Whoever takes one of those that wait comes by here.
        }
      }
    }
  }

  Service service() {
    return service;
  }

  /** Whether a handler should leave an idle connection. */
  boolean wanted() {
    return waiting.get() > 0 || !resting.isEmpty() || handlers.isShutdown();
  }

  /** Whether a connection has not been forgotten yet. */
  boolean holds(BlockingConnection connection) {
    return connections.contains(connection);
  }

  /** Forgets a connection. */
  void closed(BlockingConnection connection) {
    connections.remove(connection);
  }

  @Override
  public Shutdown shutdown() {
    return ending;
  }

  @Override
  public boolean settled() {
    return listening.isClosed() && connections.stream().allMatch(BlockingConnection::settled);
  }

  /** Returns the time that a handler reads while nobody waits for it, in milliseconds. */
  int leisure() {
    return (int) leisure.toMillis();
  }

  @Override
  public void drain() {
    if (ending.begin()) {
      try {
        last.connect(port());
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "nobody is let in any more", e);
        stopListening();
      }
    }
    Threads.end(acceptor, Duration.ofSeconds(2));
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
    connections.forEach(BlockingConnection::linger);
    long deadline = System.nanoTime() + Shutdown.FAREWELL.toNanos();
    while (!connections.isEmpty() && System.nanoTime() - deadline < 0) {
      for (BlockingConnection each : connections) {
        if (System.nanoTime() - deadline < 0) {
          each.drop();
        }
      }
    }
    connections.forEach(BlockingConnection::cut);
  }
}
