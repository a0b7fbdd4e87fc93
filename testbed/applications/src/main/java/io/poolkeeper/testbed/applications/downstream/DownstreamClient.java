package io.poolkeeper.testbed.applications.downstream;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Blocking HTTP/1.1 client of one downstream server. Each call that is under way has a connection
 * of its own; a connection is kept for later calls after a whole answer, and the one used last is
 * taken first. The timeout holds for a whole call, however slowly bytes arrive. Thread-safe.
 */
public final class DownstreamClient implements AutoCloseable {

  private static final int LARGEST_ANSWER = 1 << 16;

  private final DownstreamAddress address;
  private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean closed;

  /** A client without connections yet. */
  public DownstreamClient(DownstreamAddress address) {
    this.address = address;
  }

  /**
   * Calls a path and returns the body of the answer.
   *
   * @throws IOException if there is no answer within the timeout, or none with status 200; the
   *     message names the downstream server
   */
  public String get(String path) throws IOException {
    long deadline = System.nanoTime() + address.timeout().toNanos();
    Connection kept = idle.pollFirst();
    if (kept != null) {
      try {
        return call(kept, path, deadline);
      } catch (StaleConnectionException e) {
        // The server closed it while it was idle: the others of that time are closed as well.
        closeIdle();
      }
    }
    return call(connect(deadline), path, deadline);
  }

  private String call(Connection connection, String path, long deadline) throws IOException {
    try {
      String body = connection.get(path, deadline);
      idle.addFirst(connection);
      if (closed) {
        closeIdle();
      }
      return body;
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }

  private Connection connect(long deadline) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(
          new InetSocketAddress(address.host(), address.port()), remainingMillis(deadline));
      return new Connection(socket);
    } catch (ConnectException e) {
      socket.close();
      throw new IOException(downstream() + " refuses connections: " + e.getMessage(), e);
    } catch (SocketTimeoutException e) {
      socket.close();
      throw late(e);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private int remainingMillis(long deadline) throws IOException {
    long millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
    if (millis < 1) {
      throw late(null);
    }
    return (int) Math.min(Integer.MAX_VALUE, millis);
  }

  private IOException late(@org.jspecify.annotations.Nullable Exception cause) {
    return new IOException(
        downstream() + " gave no answer within " + address.timeout().toMillis() + " ms", cause);
  }

  private String downstream() {
    return "downstream " + address.host() + ":" + address.port();
  }

  private void closeIdle() {
    for (Connection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
      next.close();
    }
  }

  /** Closes idle connections at once, and the others after their call. */
  @Override
  public void close() {
    closed = true;
    closeIdle();
  }

  /** A kept connection that had been closed before anything of an answer came. */
  private static final class StaleConnectionException extends IOException {
    private static final long serialVersionUID = 1L;

    StaleConnectionException(IOException cause) {
      super(cause);
    }
  }

  /** One connection, used by one call at a time. */
  private final class Connection {
    private final Socket socket;
    private final byte[] buffer = new byte[1024];
    private int start;
    private int end;
    private boolean used;

    Connection(Socket socket) {
      this.socket = socket;
    }

    String get(String path, long deadline) throws IOException {
      start = 0;
      end = 0;
      String request =
          "GET "
              + path
              + " HTTP/1.1\r\nHost: "
              + address.host()
              + ":"
              + address.port()
              + "\r\n\r\n";
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        fill(deadline);
      } catch (SocketTimeoutException e) {
        throw late(e);
      } catch (IOException e) {
        throw used ? new StaleConnectionException(e) : broken(e);
      }
      used = true;
      try {
        return answer(deadline);
      } catch (SocketTimeoutException e) {
        throw late(e);
      } catch (EOFException e) {
        throw broken(e);
      }
    }

    private IOException broken(IOException cause) {
      return new IOException(
          downstream() + " closed the connection without an answer: " + cause.getMessage(), cause);
    }

    private String answer(long deadline) throws IOException {
      String status = line(deadline);
      int length = -1;
      for (String field = line(deadline); !field.isEmpty(); field = line(deadline)) {
        if (field.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          length = Integer.parseInt(field.substring("content-length:".length()).strip());
        }
      }
      if (length < 0 || length > LARGEST_ANSWER) {
        throw new IOException(downstream() + " gave an answer without a length below 64 KB");
      }
      byte[] body = new byte[length];
      for (int i = 0; i < length; i++) {
        body[i] = next(deadline);
      }
      String text = new String(body, StandardCharsets.US_ASCII);
      if (!status.startsWith("HTTP/1.1 200")) {
        throw new IOException(downstream() + " answered " + status + ": " + text.strip());
      }
      return text;
    }

    private String line(long deadline) throws IOException {
      StringBuilder line = new StringBuilder();
      for (char c = (char) next(deadline); c != '\n'; c = (char) next(deadline)) {
        if (line.length() == LARGEST_ANSWER) {
          throw new IOException(downstream() + " gave an answer whose head is too long");
        }
        if (c != '\r') {
          line.append(c);
        }
      }
      return line.toString();
    }

    private byte next(long deadline) throws IOException {
      if (start == end) {
        fill(deadline);
      }
      return buffer[start++];
    }

    private void fill(long deadline) throws IOException {
      socket.setSoTimeout(remainingMillis(deadline));
      int read = socket.getInputStream().read(buffer);
      if (read < 0) {
        throw new EOFException("its end came too early");
      }
      start = 0;
      end = read;
    }

    void close() {
      try {
        socket.close();
      } catch (IOException e) {
        // It is of no use any more, closed or not.
      }
    }
  }
}
