package io.poolkeeper.testbed.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives the same answer to every request, from one thread that does as little as possible, and
 * counts. Requests must come whole and one at a time, as the load generator's do.
 */
final class FixedAnswerServer implements AutoCloseable {

  static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello";

  private static final int BACKLOG = 4096;

  private final Selector selector = Selector.open();
  private final ServerSocketChannel accepting = ServerSocketChannel.open();
  private final ByteBuffer in = ByteBuffer.allocateDirect(16 * 1024);
  private final ByteBuffer answer;
  private final long limit;
  private final CountDownLatch waiting;
  private final AtomicLong answered = new AtomicLong();
  private final AtomicInteger accepted = new AtomicInteger();
  private final Thread thread = new Thread(this::serve, "fixed-answer-server");
  private volatile boolean closed;

  FixedAnswerServer(String answer) throws IOException {
    this(answer, Long.MAX_VALUE, 0);
  }

  /**
   * Starts a server that falls silent.
   *
   * @param limit requests that are answered
   * @param users users of the load
   */
  FixedAnswerServer(String answer, long limit, int users) throws IOException {
    this.limit = limit;
    waiting = new CountDownLatch(users);
    byte[] bytes = answer.getBytes(StandardCharsets.US_ASCII);
    this.answer = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    accepting.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    accepting.configureBlocking(false);
    accepting.register(selector, SelectionKey.OP_ACCEPT);
    thread.start();
  }

  String url() {
    return "http://127.0.0.1:" + accepting.socket().getLocalPort();
  }

  /** Requests that were answered. */
  long answered() {
    return answered.get();
  }

  /** Waits until all users wait for an answer that never comes, and so have read all others. */
  void awaitRest() throws InterruptedException {
    waiting.await();
  }

  /** Connections that were accepted, those that sent nothing among them. */
  int accepted() {
    return accepted.get();
  }

  private void serve() {
    try {
      while (!closed) {
        selector.select(this::handle);
      }
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void handle(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel connection = accepting.accept();
        if (connection != null) {
          accepted.incrementAndGet();
          connection.configureBlocking(false);
          connection.register(selector, SelectionKey.OP_READ);
        }
      } else {
        answer((SocketChannel) key.channel());
      }
    } catch (IOException e) {
      key.cancel();
    }
  }

  private void answer(SocketChannel connection) throws IOException {
    in.clear();
    if (connection.read(in) < 0) {
      connection.close();
    } else if (answered.get() == limit) {
      waiting.countDown();
    } else {
      answered.incrementAndGet();
      connection.write(answer.flip());
      answer.limit(answer.capacity()).position(answer.capacity());
    }
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
