package io.poolkeeper.testbed.load.http;

import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.load.traffic.Sender;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * One user's keep-alive connection, with at most one request under way. It is opened when a request
 * is to be sent and none is open, and the time that this takes is part of the response time,
 * because the user waits for it. A server that closes an idle connection does no harm.
 */
public final class Connection implements Sender {

  private final Wire wire;
  private final Sender.Listener listener;
  private final ResponseParser parser = new ResponseParser();
  private final Exchange exchange;

  private @Nullable SocketChannel channel;
  private @Nullable SelectionKey key;
  private boolean busy;

  /** The request as bytes, from position 0 to the limit; others may send the same ones. */
  private ByteBuffer bytes = ByteBuffer.allocate(0);

  /** Bytes of the request that are written. */
  private int written;

  public Connection(Wire wire, int user, Sender.Listener listener) {
    this.wire = wire;
    this.listener = listener;
    exchange = new Exchange(user);
  }

  @Override
  public void send(Request request, long start, long now) {
    busy = true;
    written = 0;
    exchange.begin(request, start, now);
    parser.expect(request.headOnly(), request.expectedText());
    bytes = wire.encoded(request);
    try {
      if (channel == null) {
        connect();
      } else {
        write(channel);
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  private void connect() throws IOException {
    SocketChannel opened = SocketChannel.open();
    channel = opened;
    opened.configureBlocking(false);
    opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
    boolean connected = opened.connect(wire.target().address());
    key = opened.register(wire.selector(), SelectionKey.OP_CONNECT, this);
    if (connected) {
      connected(opened);
    }
  }

  private void connected(SocketChannel open) throws IOException {
    exchange.connected(System.nanoTime());
    interest(SelectionKey.OP_READ);
    write(open);
  }

  /** Does what the selector says is possible. */
  public void ready() {
    SocketChannel open = channel;
    if (open == null || key == null) {
      return;
    }
    try {
      if (key.isConnectable()) {
        open.finishConnect();
        connected(open);
      } else if (key.isReadable()) {
        read(open);
      } else {
        write(open);
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  private void write(SocketChannel open) throws IOException {
    bytes.position(written);
    int count = open.write(bytes);
    exchange.sent(count);
    boolean partial = written > 0;
    written += count;
    if (bytes.hasRemaining()) {
      interest(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    } else if (partial) {
      interest(SelectionKey.OP_READ);
    }
  }

  private void interest(int operations) {
    if (key != null) {
      key.interestOps(operations);
    }
  }

  private void read(SocketChannel open) throws IOException {
    ByteBuffer in = wire.buffer();
    in.clear();
    int count = open.read(in);
    long now = System.nanoTime();
    if (!busy) {
      // The server has closed it, or it speaks unasked: either way the next request needs another.
      close();
      return;
    }
    if (count < 0) {
      if (parser.endsWithClose()) {
        answered(now);
      } else {
        failed(Failure.CLOSED.kind, now);
      }
      return;
    }
    exchange.received(count, now);
    in.flip();
    switch (parser.parse(in)) {
      case MORE -> {}
      case MALFORMED -> malformed(parser.problem(), now);
      case COMPLETE -> {
        if (in.hasRemaining()) {
          malformed("bytes after its end", now);
        } else {
          answered(now);
        }
      }
    }
  }

  private void answered(long now) {
    if (!parser.reusable() || written < bytes.limit()) {
      close();
    }
    exchange.answered(parser.status(), now);
    if (exchange.successful() && !parser.contentFound()) {
      exchange.failed(Failure.WRONG_CONTENT.kind, now);
    }
    end(true, now);
  }

  private void malformed(String problem, long now) {
    failed(Failure.MALFORMED.kind + ": " + problem, now);
  }

  private void fail(IOException e) {
    Failure failure;
    if (e instanceof ConnectException) {
      boolean refused = String.valueOf(e.getMessage()).contains("refused");
      failure = refused ? Failure.CONNECT_REFUSED : Failure.CONNECT_FAILED;
    } else {
      failure = connecting() ? Failure.CONNECT_FAILED : Failure.CONNECTION_RESET;
    }
    failed(failure.kind, System.nanoTime());
  }

  private boolean connecting() {
    return channel == null || !channel.isConnected();
  }

  /**
   * Gives the request up if it has been under way for {@code timeout} nanoseconds at {@code now}.
   */
  public void expire(long now, long timeout) {
    if (busy && now - exchange.start() >= timeout) {
      failed(Failure.TIMEOUT.kind, now);
    }
  }

  private void failed(String kind, long now) {
    close();
    if (busy) {
      exchange.failed(kind, now);
      end(false, now);
    }
  }

  private void end(boolean answered, long now) {
    busy = false;
    wire.ended(exchange);
    listener.ended(answered, now);
  }

  @Override
  public void close() {
    SocketChannel open = channel;
    channel = null;
    key = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // It is of no more use, and there is nobody who could do anything about it.
      }
    }
  }
}
