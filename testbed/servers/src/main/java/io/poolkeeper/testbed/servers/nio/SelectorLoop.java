package io.poolkeeper.testbed.servers.nio;

import io.poolkeeper.testbed.servers.architectures.IdleWatch;
import io.poolkeeper.testbed.servers.architectures.PortBinding;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.architectures.Threads;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * One thread with a selector: it accepts connections, tells them when they are ready to be read
 * from or written to, and closes those that are idle. What a connection does then is its own
 * business.
 */
public final class SelectorLoop {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  /** Milliseconds between two looks while the server ends. */
  private static final long LOOKS = 1;

  private static final int DROPPED_BYTES = 16 * 1024;

  private final ServerSettings settings;
  private final Selector selector;
  private final ServerSocketChannel listening;
  private final int port;
  private final Thread thread;
  private final Set<SelectedConnection> connections = ConcurrentHashMap.newKeySet();
  private Function<SelectionKey, SelectedConnection> connects = SelectorLoop::nobody;
  private Runnable turn = () -> {};
  private final Shutdown ending = new Shutdown();
  private volatile boolean stopping;

  /** Whether nobody is accepted for the moment, and until when. */
  private boolean respite;

  private long acceptsAgain;

  /**
   * Listens; connections wait until it is started.
   *
   * @param name of the thread
   * @throws BindException naming the port if it cannot be had
   */
  public SelectorLoop(String name, ServerSettings settings) throws BindException {
    this.settings = settings;
    thread = new Thread(this::run, name);
    try {
      listening = ServerSocketChannel.open();
      listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      PortBinding.bind(settings.port(), listening, listening::bind);
      listening.configureBlocking(false);
      selector = Selector.open();
      listening.register(selector, SelectionKey.OP_ACCEPT);
      port = listening.socket().getLocalPort();
    } catch (BindException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SelectedConnection nobody(SelectionKey key) {
    throw new IllegalStateException("not started");
  }

  /**
   * Starts the thread.
   *
   * @param connects makes a connection of the key of its channel
   * @param turn called by the thread whenever it has served what was ready
   */
  public void start(Function<SelectionKey, SelectedConnection> connects, Runnable turn) {
    this.connects = connects;
    this.turn = turn;
    thread.start();
  }

  private void run() {
    long sweep = settings.idleTimeout().toNanos() / 4;
    long nextSweep = System.nanoTime() + sweep;
    while (!stopping) {
      try {
        long next = respite ? Math.min(nextSweep, acceptsAgain) : nextSweep;
        long patience = TimeUnit.NANOSECONDS.toMillis(next - System.nanoTime()) + 1;
        selector.select(this::ready, ending.begun() ? LOOKS : Math.max(1, patience));
        acceptAgain();
        if (ending.begun() && listening.isOpen()) {
          accept(); // Closing the port would reset those who have connected, with what they ask.
          listening.close();
          selector.selectNow(this::ready); // It is free once the selector has let go of the key.
        }
        turn.run();
        look();
        if (System.nanoTime() - nextSweep >= 0) {
          nextSweep = System.nanoTime() + sweep;
          IdleWatch.closeIdle(settings.idleTimeout(), connections);
        }
      } catch (IOException | RuntimeException e) { // The others must be served on.
        LOG.log(Level.WARNING, "the selecting thread goes on after a failure", e);
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(PortBinding.RESPITE.toNanos()); // To log it takes memory.
      }
    }
    sayFarewell();
  }

  /**
   * While the server ends, all are looked at, those too that the selector has nothing to say of.
   */
  private void look() {
    if (ending.begun()) {
      for (SelectedConnection connection : connections) {
        if (connection.looks()) {
          connection.look();
        }
      }
    }
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof SelectedConnection connection) {
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
        SelectedConnection connection = connects.apply(key);
        connections.add(connection);
        key.attach(connection);
        key.interestOps(SelectionKey.OP_READ);
      }
    } catch (IOException e) { // Out of file descriptors, or stopped: the others go on.
      LOG.log(Level.DEBUG, "a connection was not accepted", e);
      respite = true;
      acceptsAgain = System.nanoTime() + PortBinding.RESPITE.toNanos();
      await(0);
    }
  }

  private void acceptAgain() {
    if (respite && System.nanoTime() - acceptsAgain >= 0) {
      respite = false;
      await(SelectionKey.OP_ACCEPT);
    }
  }

  /** Whether connections are waited for, as long as anybody is let in. */
  private void await(int operations) {
    SelectionKey key = listening.keyFor(selector);
    if (key != null && key.isValid()) {
      key.interestOps(operations);
    }
  }

  /** Goes on until what is ready has left, as long as clients take it, and ends everything. */
  private void sayFarewell() {
    try {
      listening.close();
      turn.run();
      goOn(Shutdown.FAREWELL, () -> connections.stream().noneMatch(SelectedConnection::writing));
      ByteBuffer dropped = ByteBuffer.allocate(DROPPED_BYTES);
      connections.forEach(connection -> connection.linger(dropped));
      goOn(Shutdown.FAREWELL, connections::isEmpty);
      connections.forEach(connection -> connection.cut(dropped));
      selector.close();
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.WARNING, "while stopping", e);
    }
  }

  private void goOn(Duration patience, BooleanSupplier done) throws IOException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!done.getAsBoolean() && System.nanoTime() - deadline < 0) {
      selector.select(this::ready, LOOKS);
      turn.run();
    }
  }

  ServerSettings settings() {
    return settings;
  }

  /** Port that it listens on. */
  public int port() {
    return port;
  }

  /** Open connections. */
  public int connections() {
    return connections.size();
  }

  void closed(SelectedConnection connection) {
    connections.remove(connection);
  }

  /** Has the thread look again at what it is to wait for; called by any thread. */
  public void wakeup() {
    selector.wakeup();
  }

  /** Whether the calling thread is that of the loop. */
  public boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Whether the server ends, and whom it has left without an answer. */
  public Shutdown shutdown() {
    return ending;
  }

  /**
   * Whether all who had connected when the server began to end are let in, and all that had come
   * has its answer.
   */
  public boolean settled() {
    return !listening.isOpen() && connections.stream().allMatch(SelectedConnection::settled);
  }

  /** Accepts no more; answers from now on are the last ones of their connections. */
  public void drain() {
    ending.begin();
    selector.wakeup();
  }

  /** Ends the thread once the answers that are ready have left. */
  public void close() {
    drain();
    stopping = true;
    selector.wakeup();
    Threads.end(thread, Shutdown.FAREWELL.multipliedBy(4));
    connections.forEach(SelectedConnection::giveUp); // Those of a thread that has not ended.
  }
}
