package io.poolkeeper.testbed.servers.nio;

import io.poolkeeper.testbed.servers.architectures.IdleWatch;
import io.poolkeeper.testbed.servers.http.Conversation;
import io.poolkeeper.testbed.servers.http.Lifecycle;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a {@link SelectorLoop}: a socket that does not block, and what is said on it. One
 * thread reads at a time and one writes at a time; they may be two.
 */
public abstract class SelectedConnection implements IdleWatch.Connection {

  /** Buffers of bytes that are dropped before a connection is closed. */
  private static final int DROPS = 64;

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private final SelectorLoop loop;
  private final SelectionKey key;
  private final SocketChannel channel;
  private final Conversation conversation;

  /** An answer of which a part has left, or is about to; whoever writes alone touches it. */
  private @Nullable ByteBuffer leaving;

  private volatile long active = System.nanoTime();

  protected SelectedConnection(SelectorLoop loop, SelectionKey key) {
    this.loop = loop;
    this.key = key;
    channel = (SocketChannel) key.channel();
    conversation =
        new Conversation(
            loop.settings().limits(), loop.shutdown()::begun, loop.shutdown()::refusing);
  }

  /** The selector says that it can be read from or written to; called by the loop's thread. */
  protected abstract void ready();

  /**
   * Looks whether more has come, since the server ends and the conversation {@linkplain
   * Conversation#looks wants to know}; called by the loop's thread.
   */
  protected abstract void look();

  final boolean looks() {
    return conversation.looks();
  }

  final boolean settled() {
    return conversation.settled();
  }

  protected final SelectionKey key() {
    return key;
  }

  protected final Conversation conversation() {
    return conversation;
  }

  protected final boolean isOpen() {
    return channel.isOpen();
  }

  /** Notes that a request has come, or an answer has left. */
  protected final void active() {
    active = System.nanoTime();
  }

  /** Reads into the buffer and flips it. */
  protected final void receive(ByteBuffer bytes) throws IOException {
    boolean looks = conversation.looks();
    int count = channel.read(bytes);
    bytes.flip();
    if (count < 0) {
      conversation.inputEnded();
    }
    if (looks && count <= 0) {
      conversation.nothingCame();
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
      conversation.left();
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
   * Ends the output, or the connection, if that is next once all answers that are ready have left.
   *
   * @return what is next otherwise
   */
  protected final Lifecycle.Action proceedToEnd() throws IOException {
    Lifecycle.Action action = conversation.action();
    if (action == Lifecycle.Action.END_OUTPUT) {
      endOutput();
      action = conversation.action();
    }
    if (action == Lifecycle.Action.CLOSE) {
      close();
    }
    return action;
  }

  private void endOutput() throws IOException {
    channel.shutdownOutput();
    conversation.outputEnded();
  }

  /** Says at the end of the server that nothing more will be sent. */
  final void linger(ByteBuffer bytes) {
    if (conversation.busy()) {
      cut(bytes);
      return;
    }
    conversation.finish();
    try {
      endOutput();
      key.interestOpsOr(SelectionKey.OP_READ);
    } catch (IOException | CancelledKeyException e) {
      close();
    }
  }

  /** Closes it at the end of the server; what has come is read, since it would be a reset else. */
  final void cut(ByteBuffer bytes) {
    loop.shutdown().cut(conversation, false);
    try {
      int count = channel.read(bytes.clear());
      for (int i = 0; count == bytes.capacity() && i < DROPS; i++) {
        count = channel.read(bytes.clear());
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
    close();
  }

  /** Closes it from outside, since the thread that should is held up. */
  final void giveUp() {
    loop.shutdown().cut(conversation, false);
    close();
  }

  /** Whether answers are ready, and have not left. */
  final boolean writing() {
    return conversation.leaving() || conversation.ready();
  }

  @Override
  public final boolean idleSince(long then) {
    // In this order: an answer that was taken meanwhile has been activity before.
    return (conversation.leaving() || !conversation.busy()) && active - then < 0;
  }

  @Override
  public final void expire() {
    if (conversation.leaving()) {
      loop.shutdown().stuck();
    }
    close();
  }

  /**
   * Closes it after a failure. A client that goes away is no news, and without memory nothing else
   * can be done. What a server that ends cannot do any more, by an interrupt or without handlers,
   * is a loss.
   */
  protected final void fail(Throwable failure) {
    if (loop.shutdown().begun()
        && (failure instanceof ClosedByInterruptException
            || failure instanceof RejectedExecutionException)) {
      loop.shutdown().cut(conversation, false);
    }
    close();
  }

  /** Closes it; called by any thread. */
  protected final void close() {
    loop.closed(this);
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
    if (!loop.isCurrent()) {
      loop.wakeup(); // The socket lives until the selector has let go of its key.
    }
  }
}
