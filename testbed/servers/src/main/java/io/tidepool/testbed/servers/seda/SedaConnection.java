package io.tidepool.testbed.servers.seda;

import io.tidepool.testbed.servers.architectures.Service;
import io.tidepool.testbed.servers.http.Conversation;
import io.tidepool.testbed.servers.http.Exchange;
import io.tidepool.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One connection between the stages. It is read by one handler at a time, since it is not asked
 * about again before that one is done, and written by one at a time: the first that comes, which
 * does the work of those that come meanwhile.
 */
final class SedaConnection {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");
  private static final int READ_BYTES = 16 * 1024;
  private static final ThreadLocal<ByteBuffer> BYTES =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(READ_BYTES));

  private final SedaServer server;
  private final SelectionKey key;
  private final SocketChannel channel;
  private final Conversation conversation;

  /** Bytes that were read and not wanted, since too many requests are under way. */
  private @Nullable ByteBuffer kept;

  /** Whether reading has stopped until there is room for requests. */
  private final AtomicBoolean starved = new AtomicBoolean();

  private final AtomicInteger toWrite = new AtomicInteger();

  /** An answer of which a part has left. */
  private volatile @Nullable ByteBuffer leaving;

  private volatile boolean silent;
  private volatile boolean lingering;
  private volatile long active = System.nanoTime();

  SedaConnection(SedaServer server, SelectionKey key, Limits limits) {
    this.server = server;
    this.key = key;
    channel = (SocketChannel) key.channel();
    conversation = new Conversation(limits);
  }

  /** The selector says that it can be read from or written to, and is not to say so again. */
  void ready() {
    try {
      int ready = key.readyOps();
      key.interestOpsAnd(~ready);
      if ((ready & SelectionKey.OP_WRITE) != 0) {
        server.toWrite(this);
      }
      if ((ready & SelectionKey.OP_READ) != 0) {
        server.toRead(this);
      }
    } catch (CancelledKeyException | RejectedExecutionException e) {
      close();
    }
  }

  /** Reads what has come, and sends the requests on. */
  void read() {
    try {
      ByteBuffer bytes = kept;
      if (bytes == null) {
        bytes = BYTES.get().clear();
        if (channel.read(bytes) < 0) {
          silent = true;
          server.toWrite(this);
          return;
        }
        bytes.flip();
      }
      if (!lingering) {
        take(bytes);
      }
      readOn();
    } catch (IOException | CancelledKeyException | RejectedExecutionException e) {
      close(); // A client that goes away is no news.
    }
  }

  private void take(ByteBuffer bytes) {
    for (Exchange next = conversation.read(bytes); next != null; next = conversation.read(bytes)) {
      active = System.nanoTime();
      try {
        server.toProcess(this, next);
      } catch (RejectedExecutionException e) {
        Service.refuse(next);
        server.toWrite(this);
      }
    }
    if (!bytes.hasRemaining()) {
      kept = null;
    } else if (kept == null) {
      kept = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }
    server.toWrite(this); // A refusal, or leave to send on.
  }

  /** Waits for more bytes, or for room; whoever makes room asks for the rest. */
  private void readOn() {
    if (lingering || (kept == null && conversation.room())) {
      await(SelectionKey.OP_READ);
    } else {
      starved.set(true);
      readIfStarved();
    }
  }

  private void readIfStarved() {
    if ((lingering || conversation.room()) && starved.compareAndSet(true, false)) {
      server.toRead(this);
    }
  }

  private void await(int operation) {
    key.interestOpsOr(operation);
    server.wakeup();
  }

  /** Writes the answers whose turn it is. */
  void write() {
    if (toWrite.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    do {
      try {
        writeAll();
      } catch (IOException | CancelledKeyException | RejectedExecutionException e) {
        close();
      }
      seen = toWrite.addAndGet(-seen);
    } while (seen > 0);
  }

  private void writeAll() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    for (ByteBuffer next = leaving == null ? conversation.next() : leaving;
        next != null;
        next = conversation.next()) {
      channel.write(next);
      active = System.nanoTime();
      if (next.hasRemaining()) {
        leaving = next;
        await(SelectionKey.OP_WRITE);
        return;
      }
      leaving = null;
    }
    if (conversation.over() && !lingering) {
      // Lets the client take the last answer: closing at once while bytes of it are unread would
      // reset the connection, and the answer be lost (RFC 9112, section 9.6).
      channel.shutdownOutput();
      lingering = true;
    }
    if (silent && (lingering || !conversation.busy())) {
      close();
    } else {
      readIfStarved();
    }
  }

  boolean writing() {
    return leaving != null || toWrite.get() > 0;
  }

  /** Whether nothing has happened since then, and the client waits for nothing. */
  boolean idleSince(long then) {
    return active - then < 0 && (leaving != null || !conversation.busy());
  }

  void close() {
    server.closed(this);
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
  }
}
