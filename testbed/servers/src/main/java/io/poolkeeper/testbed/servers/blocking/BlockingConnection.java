package io.poolkeeper.testbed.servers.blocking;

import io.poolkeeper.testbed.servers.architectures.IdleWatch;
import io.poolkeeper.testbed.servers.http.Answer;
import io.poolkeeper.testbed.servers.http.Conversation;
import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.http.Lifecycle;
import io.poolkeeper.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** One connection; the handler that holds it is the only one to touch it. */
final class BlockingConnection implements IdleWatch.Connection {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");
  private static final int READ_BYTES = 8 * 1024;

  /** Time for which the acceptor listens to a client that is refused. */
  private static final Duration REFUSAL = Duration.ofMillis(20);

  /** Reads of bytes that are dropped before the connection is closed. */
  private static final int DROPS = 64;

  private final BlockingServer server;
  private final Socket socket;
  private final Conversation conversation;

  /** Made when it is read from: thousands that are idle need none. */
  private byte[] bytes = new byte[0];

  private volatile boolean serving;
  private volatile long active = System.nanoTime();

  BlockingConnection(BlockingServer server, Socket socket, Limits limits) {
    this.server = server;
    this.socket = socket;
    conversation = new Conversation(limits, server.shutdown()::begun, server.shutdown()::refusing);
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
      server.again(this);
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) { // It closes the socket of a virtual thread.
        noteCut();
      }
      close(); // A client that goes away is no news.
    } catch (Error e) {
      server.again(this); // The client has its answer, the handler's pool the error.
      throw e;
    }
  }

  /** Reads once and answers; false if nothing more is to come. */
  private boolean read() throws IOException {
    if (conversation.looks() && socket.getInputStream().available() == 0) {
      conversation.nothingCame();
      return answered();
    }
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
      conversation.inputEnded();
      return answered();
    }
    serving = true;
    try {
      return answer(ByteBuffer.wrap(bytes, 0, count));
    } finally {
      serving = false;
    }
  }

  /** Answers what was read; false if nothing more is to come. */
  private boolean answer(ByteBuffer in) throws IOException {
    Error failed = null;
    for (Exchange next = conversation.read(in); next != null; next = conversation.read(in)) {
      try {
        server.service().serve(next);
      } catch (Error e) { // Its client has the answer; those behind it get theirs first.
        failed = e;
      }
      write();
    }
    boolean goesOn = answered();
    if (failed != null) {
      throw failed;
    }
    return goesOn;
  }

  /** Writes what is ready, and ends the output if that is next; false if nothing is. */
  private boolean answered() throws IOException {
    write();
    if (conversation.action() == Lifecycle.Action.END_OUTPUT) {
      socket.shutdownOutput();
      conversation.outputEnded();
    }
    return conversation.action() != Lifecycle.Action.CLOSE;
  }

  /** Tells a client that there is no handler for it; what it says is heard for a moment. */
  void refuse() {
    try {
      conversation.refuse(Answer.busy());
      boolean unused = answered();
      bytes = new byte[READ_BYTES];
      long deadline = System.nanoTime() + REFUSAL.toNanos();
      while (System.nanoTime() - deadline < 0 && drops()) {
        // It has sent something, or may yet.
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while refusing a connection", e);
    }
    close();
  }

  /** Reads and drops what has come; false if nothing more is to come. */
  private boolean drops() throws IOException {
    socket.setSoTimeout(BlockingServer.PATIENCE_MS);
    try {
      return socket.getInputStream().read(bytes) >= 0;
    } catch (SocketTimeoutException e) {
      return true;
    }
  }

  boolean settled() {
    return !serving && conversation.settled();
  }

  /** Says at the end of the server that nothing more will be sent. */
  void linger() {
    if (conversation.busy()) {
      cut();
      return;
    }
    try {
      bytes = new byte[READ_BYTES];
      conversation.finish();
      conversation.outputEnded();
      socket.shutdownOutput();
    } catch (IOException e) {
      close();
    }
  }

  /** Reads and drops what comes behind the last answer; there are no handlers any more. */
  void drop() {
    try {
      if (!drops()) {
        close();
      }
    } catch (IOException e) {
      close();
    }
  }

  /** Closes it at the end of the server; what has come is read, since it would be a reset else. */
  void cut() {
    noteCut();
    try {
      for (int i = 0; socket.getInputStream().available() > 0 && i < DROPS && drops(); i++) {
        // What is dropped is not answered any more.
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
    close();
  }

  private void write() throws IOException {
    for (ByteBuffer next = conversation.next(); next != null; next = conversation.next()) {
      active = System.nanoTime();
      socket
          .getOutputStream()
          .write(next.array(), next.arrayOffset() + next.position(), next.remaining());
      active = System.nanoTime();
      conversation.left();
    }
  }

  /** Whether nothing has been asked or answered since then, and the application is not at work. */
  @Override
  public boolean idleSince(long then) {
    return (conversation.leaving() || (!serving && !conversation.busy()))
        && active - then < 0
        && !waits();
  }

  /** Notes what is not answered, unless the client has gone before. */
  private void noteCut() {
    if (server.holds(this)) {
      server.shutdown().cut(conversation, false);
      server.closed(this); // Not before: a server without connections has counted its losses.
    }
  }

  /** Whether something has come that no handler has read yet. */
  private boolean waits() {
    try {
      return !conversation.leaving()
          && !conversation.lingers()
          && socket.getInputStream().available() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void expire() {
    if (conversation.leaving()) {
      server.shutdown().stuck();
    }
    close();
  }

  /** Called by its handler, or to end it: a handler that reads or writes is woken. */
  private void close() {
    server.closed(this);
    try {
      socket.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "while closing a connection", e);
    }
  }
}
