package io.poolkeeper.testbed.servers.seda;

import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.nio.SelectedConnection;
import io.poolkeeper.testbed.servers.nio.SelectorLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One connection between the stages. It is read by one handler at a time, since it is not asked
 * about again before that one is done, and written by one at a time: the first that comes, which
 * does the work of those that come meanwhile.
 */
final class SedaConnection extends SelectedConnection {

  private static final int READ_BYTES = 16 * 1024;
  private static final ThreadLocal<ByteBuffer> BYTES =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(READ_BYTES));

  private final SedaServer server;
  private final SelectorLoop acceptor;

  /** Bytes that were read and not wanted, since too many requests are under way. */
  private @Nullable ByteBuffer kept;

  /** Whether reading has stopped until there is room for requests. */
  private final AtomicBoolean starved = new AtomicBoolean();

  private final AtomicInteger toWrite = new AtomicInteger();

  SedaConnection(SedaServer server, SelectorLoop acceptor, SelectionKey key) {
    super(acceptor, key);
    this.server = server;
    this.acceptor = acceptor;
  }

  /** It goes to the stages, and the selector is not to say so again before they ask. */
  @Override
  protected void ready() {
    try {
      int ready = key().readyOps();
      key().interestOpsAnd(~ready);
      if ((ready & SelectionKey.OP_WRITE) != 0) {
        server.toWrite(this);
      }
      if ((ready & SelectionKey.OP_READ) != 0) {
        server.toRead(this);
      }
    } catch (CancelledKeyException | RejectedExecutionException e) {
      fail(e);
    }
  }

  /** Has the connection read once more, unless it is being read or waits for room. */
  @Override
  protected void look() {
    try {
      if (silent()) {
        conversation().dry();
        server.toWrite(this);
      } else if ((key().interestOps() & SelectionKey.OP_READ) != 0) {
        key().interestOpsAnd(~SelectionKey.OP_READ);
        server.toRead(this);
      }
    } catch (CancelledKeyException | RejectedExecutionException e) {
      fail(e);
    }
  }

  /** Reads what has come, and sends the requests on. */
  void read() {
    try {
      ByteBuffer bytes = kept;
      if (bytes == null) {
        bytes = BYTES.get().clear();
        receive(bytes);
      }
      take(bytes);
      readOn();
    } catch (IOException | CancelledKeyException | RejectedExecutionException e) {
      fail(e);
    }
  }

  private void take(ByteBuffer bytes) {
    for (Exchange next = conversation().read(bytes);
        next != null;
        next = conversation().read(bytes)) {
      active();
      server.toProcess(this, next);
    }
    if (!bytes.hasRemaining()) {
      kept = null;
    } else if (kept == null) {
      kept = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }
    if (silent() || conversation().ready()) {
      server.toWrite(this);
    }
  }

  /** Waits for more bytes, or for room; whoever makes room asks for the rest. */
  private void readOn() {
    if (silent()) {
      return;
    }
    if (lingering() || (kept == null && conversation().room())) {
      await(SelectionKey.OP_READ);
    } else {
      starved.set(true);
      readIfStarved();
    }
  }

  private void readIfStarved() {
    if ((lingering() || conversation().room()) && starved.compareAndSet(true, false)) {
      server.toRead(this);
    }
  }

  private void await(int operation) {
    key().interestOpsOr(operation);
    acceptor.wakeup();
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
        fail(e);
      }
      seen = toWrite.addAndGet(-seen);
    } while (seen > 0);
  }

  private void writeAll() throws IOException {
    if (!isOpen()) {
      return;
    }
    if (!writeAnswers()) {
      await(SelectionKey.OP_WRITE);
    } else if (goesOn()) {
      readIfStarved();
    }
  }
}
