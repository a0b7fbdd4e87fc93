package io.poolkeeper.testbed.servers.nio;

import io.poolkeeper.testbed.servers.http.Exchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One connection of the reactor, which alone touches all but {@link #told}. */
final class NioConnection extends SelectedConnection {

  private final NioServer server;
  private final SelectorLoop reactor;

  /** Whether the reactor has been told of answers that it has not looked for yet. */
  private final AtomicBoolean told = new AtomicBoolean();

  /** Bytes that were read and not wanted, since too many requests are under way. */
  private @Nullable ByteBuffer kept;

  NioConnection(NioServer server, SelectorLoop reactor, SelectionKey key) {
    super(reactor, key);
    this.server = server;
    this.reactor = reactor;
  }

  @Override
  protected void ready() {
    try {
      if (!key().isWritable()) {
        read();
      }
      proceed();
    } catch (IOException | CancelledKeyException | OutOfMemoryError e) {
      fail(e);
    }
  }

  private void read() throws IOException {
    ByteBuffer bytes = server.bytes();
    receive(bytes);
    take(bytes);
  }

  @Override
  protected void look() {
    try {
      if (kept == null && conversation().room()) {
        read();
      }
      proceed();
    } catch (IOException | CancelledKeyException | OutOfMemoryError e) {
      fail(e);
    }
  }

  /** Answers have been made ready by another thread. */
  void answered() {
    told.set(false); // Cleared first: an answer that comes from now on tells again.
    try {
      proceed();
    } catch (IOException | CancelledKeyException | OutOfMemoryError e) {
      fail(e);
    }
  }

  /** Hands over the requests that the bytes complete, and keeps what is not wanted yet. */
  private void take(ByteBuffer bytes) {
    for (Exchange next = conversation().read(bytes);
        next != null;
        next = conversation().read(bytes)) {
      active();
      server.handOver(next, this::tell);
    }
    kept = null;
    if (bytes.hasRemaining()) {
      kept = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }
  }

  private void tell() {
    if (!reactor.isCurrent() && told.compareAndSet(false, true)) {
      try {
        server.tell(this);
      } catch (OutOfMemoryError e) {
        told.set(false);
        throw e;
      }
    }
  }

  /**
   * Writes what is ready, takes the requests that there is room for then, and says what is next.
   */
  private void proceed() throws IOException {
    if (!isOpen()) {
      return;
    }
    boolean all = writeAnswers();
    while (all && kept != null && conversation().room()) {
      take(kept);
      all = writeAnswers();
    }
    if (!all) {
      key().interestOps(SelectionKey.OP_WRITE);
    } else if (goesOn()) {
      boolean reads = !silent() && (lingering() || (kept == null && conversation().room()));
      key().interestOps(reads ? SelectionKey.OP_READ : 0);
    }
  }
}
