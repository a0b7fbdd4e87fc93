package io.tidepool.testbed.servers.blocking;

import io.tidepool.testbed.servers.architectures.IdleWatch;
import io.tidepool.testbed.servers.http.Conversation;
import io.tidepool.testbed.servers.http.Exchange;
import io.tidepool.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** One connection; the handler that holds it is the only one to touch it. */
final class BlockingConnection implements IdleWatch.Watched {

  private static final System.Logger LOG = System.getLogger("io.tidepool.testbed.servers");
  private static final int READ_BYTES = 8 * 1024;

  private final BlockingServer server;
  private final Socket socket;
  private final Conversation conversation;

  /** Made when it is read from: thousands that are idle need none. */
  private byte[] bytes = new byte[0];

  private boolean lingering;
  private volatile boolean serving;
  private volatile long active = System.nanoTime();

  BlockingConnection(BlockingServer server, Socket socket, Limits limits) {
    this.server = server;
    this.socket = socket;
    conversation = new Conversation(limits, server::ending);
  }

  /** Serves what has come, and what comes while nobody else waits for the handler. */
  void serve() {
    try {
      do {
        if (!read()) {
          close();
          return;
        }
      } while (!server.wanted());
      server.toHandler(this);
    } catch (IOException e) {
      close(); // A client that goes away is no news.
    } catch (Error e) {
      server.toHandler(this); // The client has its answer, the handler's pool the error.
      throw e;
    }
  }

  /** Reads once and answers; false if nothing more is to come. */
  private boolean read() throws IOException {
    if (bytes.length == 0) {
      bytes = new byte[READ_BYTES];
    }
    socket.setSoTimeout(server.wanted() ? BlockingServer.PATIENCE_MS : server.leisure());
    int count;
    try {
      count = socket.getInputStream().read(bytes);
    } catch (SocketTimeoutException e) {
      return true;
    }
    if (count < 0) {
      return false;
    }
    if (!lingering) {
      serving = true;
      try {
        answer(ByteBuffer.wrap(bytes, 0, count));
      } finally {
        serving = false;
      }
    }
    return true;
  }

  private void answer(ByteBuffer in) throws IOException {
    Error failed = null;
    for (Exchange next = conversation.read(in); next != null; next = conversation.read(in)) {
      try {
        server.service().serve(next);
      } catch (Error e) { // Its client has the answer; those behind it get theirs first.
        failed = e;
      }
      write();
    }
    write();
    if (conversation.over()) {
      // Lets the client take the last answer: closing at once while bytes of it are unread would
      // reset the connection, and the answer be lost (RFC 9112, section 9.6).
      socket.shutdownOutput();
      lingering = true;
    }
    if (failed != null) {
      throw failed;
    }
  }

  private void write() throws IOException {
    for (ByteBuffer next = conversation.next(); next != null; next = conversation.next()) {
      socket
          .getOutputStream()
          .write(next.array(), next.arrayOffset() + next.position(), next.remaining());
      active = System.nanoTime();
    }
  }

  /** Whether it has been served nothing since then, and nothing is being served. */
  @Override
  public boolean idleSince(long then) {
    return !serving && active - then < 0;
  }

  /** Called by its handler, or to end it: a handler that reads from it is woken. */
  @Override
  public void close() {
    server.closed(this);
    try {
      socket.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
  }
}
