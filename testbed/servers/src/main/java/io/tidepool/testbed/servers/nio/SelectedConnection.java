package io.tidepool.testbed.servers.nio;

import io.tidepool.testbed.servers.architectures.IdleWatch;
import io.tidepool.testbed.servers.http.Conversation;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a {@link SelectorLoop}: a socket that does not block, and what is said on it. One
 * thread reads at a time and one writes at a time; they may be two.
 */
public abstract class SelectedConnection implements IdleWatch.Watched {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");

  private final SelectorLoop loop;
  private final SelectionKey key;
  private final SocketChannel channel;
  private final Conversation conversation;

  /** An answer of which a part has left, or is about to. */
  private volatile @Nullable ByteBuffer leaving;

  private volatile boolean silent;
  private volatile boolean lingering;
  private volatile long active = System.nanoTime();

  protected SelectedConnection(SelectorLoop loop, SelectionKey key) {
    this.loop = loop;
    this.key = key;
    channel = (SocketChannel) key.channel();
    conversation = new Conversation(loop.settings().limits(), loop::ending);
  }

  /** The selector says that it can be read from or written to; called by the loop's thread. */
  protected abstract void ready();

  protected final SelectionKey key() {
    return key;
  }

  protected final Conversation conversation() {
    return conversation;
  }

  protected final boolean isOpen() {
    return channel.isOpen();
  }

  /** Whether the client sends no more. */
  protected final boolean silent() {
    return silent;
  }

  /** Whether the last answer has left, and only the client's end of the connection is awaited. */
  protected final boolean lingering() {
    return lingering;
  }

  /** Notes that a request has come, or an answer has left. */
  protected final void active() {
    active = System.nanoTime();
  }

  /** Reads into the buffer and flips it; behind the last answer what was read is dropped. */
  protected final void receive(ByteBuffer bytes) throws IOException {
    silent |= channel.read(bytes) < 0;
    bytes.flip();
    if (lingering) {
      bytes.position(bytes.limit());
    }
  }

  /** Writes the answers whose turn it is; false if the client takes no more for now. */
  protected final boolean writeAnswers() throws IOException {
    for (ByteBuffer next = leaving == null ? next() : leaving; next != null; next = next()) {
      leaving = next;
      if (channel.write(next) > 0) {
        active();
      }
      if (next.hasRemaining()) {
        return false;
      }
      leaving = null;
    }
    return true;
  }

  /** The next answer; it is activity before it is taken, so that it never looks idle meanwhile. */
  private @Nullable ByteBuffer next() {
    if (conversation.ready()) {
      active();
    }
    return conversation.next();
  }

  /**
   * Ends the connection if all has been said, which is asked once all answers that are ready have
   * left; true if it goes on.
   */
  protected final boolean goesOn() throws IOException {
    if (conversation.over() && !lingering) {
      // Lets the client take the last answer: closing at once while bytes of it are unread would
      // reset the connection, and the answer be lost (RFC 9112, section 9.6). The client's end of
      // the connection, or the idle timeout, closes it.
      channel.shutdownOutput();
      lingering = true;
    }
    if (silent && (lingering || !conversation.busy())) {
      close();
      return false;
    }
    return true;
  }

  /** Whether answers are ready, and have not left. */
  final boolean writing() {
    return leaving != null || conversation.ready();
  }

  @Override
  public final boolean idleSince(long then) {
    // In this order: an answer that was taken meanwhile has been activity before.
    return (leaving != null || !conversation.busy()) && active - then < 0;
  }

  @Override
  public final void close() {
    loop.closed(this);
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
  }
}
