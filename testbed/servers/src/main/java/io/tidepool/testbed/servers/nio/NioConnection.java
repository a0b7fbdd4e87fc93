package io.tidepool.testbed.servers.nio;

import io.tidepool.testbed.servers.http.Conversation;
import io.tidepool.testbed.servers.http.Exchange;
import io.tidepool.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One connection of the reactor, which alone touches all but {@link #told}. */
final class NioConnection {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");

  private final NioServer server;
  private final SelectionKey key;
  private final SocketChannel channel;
  private final Conversation conversation;

  /** Whether the reactor has been told of answers that it has not looked for yet. */
  private final AtomicBoolean told = new AtomicBoolean();

  /** Bytes that were read and not wanted, since too many requests are under way. */
  private @Nullable ByteBuffer kept;

  /** An answer of which a part has left. */
  private @Nullable ByteBuffer leaving;

  /** Whether the client sends no more. */
  private boolean silent;

  /** Whether the last answer has left, and only the client's end of the connection is awaited. */
  private boolean lingering;

  private long active = System.nanoTime();

  NioConnection(NioServer server, SelectionKey key, Limits limits) {
    this.server = server;
    this.key = key;
    channel = (SocketChannel) key.channel();
    conversation = new Conversation(limits);
  }

  /** The selector says that it can be read from or written to. */
  void ready(SelectionKey ready) {
    try {
      if (ready.isWritable()) {
        proceed();
      } else if (ready.isReadable()) {
        read();
      }
    } catch (IOException | CancelledKeyException e) {
      close(); // A client that goes away is no news.
    }
  }

  /** Answers have been made ready by another thread. */
  void answered() {
    told.set(false); // Cleared first: an answer that comes from now on tells again.
    try {
      proceed();
    } catch (IOException | CancelledKeyException e) {
      close();
    }
  }

  private void read() throws IOException {
    ByteBuffer bytes = server.bytes();
    int count = channel.read(bytes);
    if (count < 0) {
      silent = true;
      if (!conversation.busy()) {
        close();
        return;
      }
    } else if (!lingering) {
      take(bytes.flip());
    }
    proceed();
  }

  /** Hands over the requests that the bytes complete, and keeps what is not wanted yet. */
  private void take(ByteBuffer bytes) {
    for (Exchange next = conversation.read(bytes); next != null; next = conversation.read(bytes)) {
      active = System.nanoTime();
      server.service().handOver(server.executorNow(), next, this::tell);
    }
    kept = null;
    if (bytes.hasRemaining()) {
      kept = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }
  }

  private void tell() {
    if (!server.inReactor() && told.compareAndSet(false, true)) {
      server.tell(this);
    }
  }

  /**
   * Writes what is ready, takes the requests that there is room for then, and says what is next.
   */
  private void proceed() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    boolean all = write();
    while (all && kept != null && conversation.room()) {
      take(kept);
      all = write();
    }
    if (all && conversation.over() && !lingering) {
      linger();
    }
    if (silent && (lingering || !conversation.busy())) {
      close();
      return;
    }
    boolean reads = !silent && (lingering || (all && kept == null && conversation.room()));
    key.interestOps(
        (reads ? SelectionKey.OP_READ : 0) | (leaving == null ? 0 : SelectionKey.OP_WRITE));
  }

  /** Writes answers; false if the client takes no more for now. */
  private boolean write() throws IOException {
    for (ByteBuffer next = leaving == null ? conversation.next() : leaving;
        next != null;
        next = conversation.next()) {
      channel.write(next);
      active = System.nanoTime();
      if (next.hasRemaining()) {
        leaving = next;
        return false;
      }
      leaving = null;
    }
    return true;
  }

  /**
   * Lets the client take the last answer: closing at once while bytes of it are unread would reset
   * the connection, and the answer be lost (RFC 9112, section 9.6). The client's end of the
   * connection, or the idle timeout, closes it.
   */
  private void linger() throws IOException {
    channel.shutdownOutput();
    lingering = true;
  }

  boolean writing() {
    return leaving != null;
  }

  /** Whether nothing has happened since then, and the client waits for nothing. */
  boolean idleSince(long then) {
    return active - then < 0 && (lingering || leaving != null || !conversation.busy());
  }

  void close() {
    if (channel.isOpen()) {
      server.closed();
      key.cancel();
      try {
        channel.close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "while closing a connection", e);
      }
    }
  }
}
