package io.poolkeeper.testbed.servers.nio2;

import io.poolkeeper.testbed.servers.architectures.IdleWatch;
import io.poolkeeper.testbed.servers.http.Conversation;
import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.http.Lifecycle;
import io.poolkeeper.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the proactor. Completions and answers come on any thread; whoever finds nobody
 * at work on the connection goes on with it, and does what the others ask meanwhile.
 */
final class Nio2Connection implements IdleWatch.Connection {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");
  private static final int READ_BYTES = 2 * 1024;

  /** Time that a read goes on without a completion before it is taken that nothing has come. */
  private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(20);

  /** Has a look taken again; the thread of the delay only asks for it. */
  private static final Executor LATER =
      CompletableFuture.delayedExecutor(QUIET, TimeUnit.NANOSECONDS);

  private final Nio2Server server;
  private final AsynchronousSocketChannel channel;
  private final Conversation conversation;

  /** Requests to go on since somebody began to. */
  private final AtomicInteger asked = new AtomicInteger();

  private final ByteBuffer bytes = ByteBuffer.allocate(READ_BYTES).limit(0);

  /** An answer that is being written; whoever is at work on the connection alone touches it. */
  private @Nullable ByteBuffer leaving;

  private boolean reading;

  /** When the read under way was begun. */
  private long readSince;

  private volatile boolean looking;

  /** Result of the read under way, or null while it goes on. */
  private volatile @Nullable Integer read;

  private volatile boolean written;
  private volatile long active = System.nanoTime();

  Nio2Connection(Nio2Server server, AsynchronousSocketChannel channel, Limits limits) {
    this.server = server;
    this.channel = channel;
    conversation = new Conversation(limits, server.shutdown()::begun, server.shutdown()::refusing);
  }

  /** Notes the completion, and goes on. */
  private abstract static class Completion implements CompletionHandler<Integer, Nio2Connection> {
    @Override
    public void failed(Throwable reason, Nio2Connection connection) {
      connection.close(); // A client that goes away is no news.
    }
  }

  private static final Completion READ =
      new Completion() {
        @Override
        public void completed(Integer count, Nio2Connection connection) {
          connection.read = count;
          connection.proceed();
        }
      };

  private static final Completion WRITTEN =
      new Completion() {
        @Override
        public void completed(Integer count, Nio2Connection connection) {
          connection.written = true;
          connection.proceed();
        }
      };

  /** Goes on with what is to be done, unless somebody does: then that one goes on. */
  void proceed() {
    if (asked.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    do {
      try {
        step();
      } catch (IOException | OutOfMemoryError e) {
        close();
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a connection failed", e);
        close();
      }
      seen = asked.addAndGet(-seen);
    } while (seen > 0);
  }

  private void step() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    Integer count = read;
    if (count != null) {
      read = null;
      reading = false;
      bytes.flip();
      if (count < 0) {
        conversation.inputEnded();
      }
    }
    take();
    look();
    if (write()) {
      goOn();
    }
  }

  /** Does what is next once all answers that are ready have left. */
  private void goOn() throws IOException {
    Lifecycle.Action action = conversation.action();
    if (action == Lifecycle.Action.END_OUTPUT) {
      channel.shutdownOutput();
      conversation.outputEnded();
      action = conversation.action();
    }
    if (action == Lifecycle.Action.CLOSE) {
      close();
    } else if (action == Lifecycle.Action.READ && !reading) {
      take(); // There is room for what is left in the buffer, or it is dropped.
      if (!bytes.hasRemaining()) {
        reading = true;
        readSince = System.nanoTime();
        channel.read(bytes.clear(), this, READ);
      }
    }
  }

  /**
   * While the server ends: a read that goes on says that nothing has come; the system has had time
   * to complete it.
   */
  private void look() {
    if (!conversation.looks()) {
      return;
    }
    long since = Math.max(readSince, server.shutdown().since());
    if (reading && System.nanoTime() - since >= QUIET) {
      conversation.nothingCame();
    } else if (!looking) {
      looking = true;
      LATER.execute(
          () -> {
            looking = false;
            proceed();
          });
    }
  }

  /** Hands over the requests that the bytes complete, as many as there is room for. */
  private void take() {
    if (reading) {
      return;
    }
    for (Exchange next = conversation.read(bytes); next != null; next = conversation.read(bytes)) {
      active = System.nanoTime();
      server.service().handOver(server.executor(), next, this::proceed);
    }
  }

  /** Begins to write the next answer; true if there is none, and none is being written. */
  private boolean write() {
    ByteBuffer next = leaving;
    if (next != null && !written) {
      return false;
    }
    written = false;
    if (next == null || !next.hasRemaining()) {
      if (next != null) {
        conversation.left();
      }
      if (next != null || conversation.ready()) {
        active = System.nanoTime(); // Before it is taken, so that the connection never looks idle.
      }
      next = conversation.next();
    }
    leaving = next;
    if (next != null) {
      channel.write(next, this, WRITTEN);
    }
    return next == null;
  }

  /** Whether answers are ready, and have not left. */
  boolean writing() {
    return conversation.leaving() || conversation.ready();
  }

  @Override
  public boolean idleSince(long then) {
    // In this order: an answer that was taken meanwhile has been activity before.
    return (conversation.leaving() || !conversation.busy()) && active - then < 0;
  }

  boolean settled() {
    return conversation.settled();
  }

  /** Says at the end of the server that nothing more will be sent. */
  void linger() {
    if (conversation.busy()) {
      cut();
      return;
    }
    conversation.finish();
    proceed();
  }

  /** Closes it at the end of the server; a read is under way, so that it is no reset. */
  void cut() {
    server.shutdown().cut(conversation, false);
    close();
  }

  @Override
  public void expire() {
    if (conversation.leaving()) {
      server.shutdown().stuck();
    }
    close();
  }

  private void close() {
    server.closed(this);
    try {
      channel.close();
    } catch (IOException | ShutdownChannelGroupException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
  }
}
