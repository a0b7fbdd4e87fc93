package io.tidepool.testbed.servers.nio;

import io.tidepool.testbed.servers.architectures.Listening;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import io.tidepool.testbed.servers.architectures.Threads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The reactor: one thread accepts, reads and writes. It processes as well with an executor that
 * runs on the calling thread; with any other the requests are handed over, and the answers come
 * back to it to be written.
 */
public final class NioServer implements Server {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");
  private static final int READ_BYTES = 64 * 1024;

  /** How long answers that are ready may take to leave when the server stops. */
  private static final long FAREWELL = TimeUnit.SECONDS.toNanos(2);

  private final ServerSettings settings;
  private final Service service;
  private final Executor executor;
  private final Selector selector;
  private final ServerSocketChannel listening;
  private final int port;
  private final Thread reactor = new Thread(this::run, "nio-reactor");

  /** Belongs to the reactor, which serves one connection at a time. */
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(READ_BYTES);

  /** Connections with answers that another thread has made ready. */
  private final Queue<NioConnection> answered = new ConcurrentLinkedQueue<>();

  private final AtomicInteger connections = new AtomicInteger();
  private volatile boolean stopping;

  /**
   * Starts to listen.
   *
   * @throws BindException naming the port if it cannot be had
   */
  @SuppressWarnings("ThreadStartInConstructor") // As all servers: one that exists listens.
  public NioServer(ServerSettings settings, Service service, Executor executor)
      throws BindException {
    this.settings = settings;
    this.service = service;
    this.executor = executor;
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
    reactor.start();
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public int connections() {
    return connections.get();
  }

  private void run() {
    long sweep = settings.idleTimeout().toNanos() / 4;
    long nextSweep = System.nanoTime() + sweep;
    while (!stopping) {
      try {
        long patience = TimeUnit.NANOSECONDS.toMillis(nextSweep - System.nanoTime()) + 1;
        selector.select(this::ready, Math.max(1, patience));
        writeAnswers();
        if (System.nanoTime() - nextSweep >= 0) {
          nextSweep = System.nanoTime() + sweep;
          closeIdle();
        }
      } catch (IOException | RuntimeException e) { // The others must be served on.
        LOG.log(Level.WARNING, "the reactor goes on after a failure", e);
      }
    }
    sayFarewell();
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof NioConnection connection) {
      connection.ready(key);
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
        connections.incrementAndGet();
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        key.attach(new NioConnection(this, key, settings.limits()));
      }
    } catch (IOException e) { // Out of file descriptors, or stopped: the others go on.
      LOG.log(Level.DEBUG, "a connection was not accepted", e);
    }
  }

  private void writeAnswers() {
    for (NioConnection next = answered.poll(); next != null; next = answered.poll()) {
      next.answered();
    }
  }

  private void closeIdle() {
    long since = System.nanoTime() - settings.idleTimeout().toNanos();
    for (NioConnection connection : all()) {
      if (connection.idleSince(since)) {
        connection.close();
      }
    }
  }

  private Iterable<NioConnection> all() {
    ArrayList<NioConnection> all = new ArrayList<>();
    for (SelectionKey key : selector.keys()) {
      if (key.attachment() instanceof NioConnection connection) {
        all.add(connection);
      }
    }
    return all;
  }

  /** Writes what is ready, as long as clients take it, and closes everything. */
  private void sayFarewell() {
    long deadline = System.nanoTime() + FAREWELL;
    try {
      writeAnswers();
      while (System.nanoTime() - deadline < 0 && isWriting()) {
        selector.select(this::ready, 10);
        writeAnswers();
      }
      all().forEach(NioConnection::close);
      selector.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while stopping", e);
    }
  }

  private boolean isWriting() {
    for (NioConnection connection : all()) {
      if (connection.writing()) {
        return true;
      }
    }
    return false;
  }

  Service service() {
    return service;
  }

  /** What runs requests: once the server stops, the reactor, since nobody else may be left. */
  Executor executorNow() {
    return stopping ? Runnable::run : executor;
  }

  /** The bytes that the reactor reads into, empty. */
  ByteBuffer bytes() {
    return bytes.clear();
  }

  void closed() {
    connections.decrementAndGet();
  }

  /** Tells the reactor that a connection has an answer; called by any thread. */
  void tell(NioConnection connection) {
    answered.add(connection);
    selector.wakeup();
  }

  boolean inReactor() {
    return Thread.currentThread() == reactor;
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
    stopping = true;
    selector.wakeup();
    Threads.end(reactor, Duration.ofNanos(2 * FAREWELL));
  }
}
