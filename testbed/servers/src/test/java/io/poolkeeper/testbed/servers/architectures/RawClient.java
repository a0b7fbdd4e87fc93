package io.poolkeeper.testbed.servers.architectures;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that sends what it is told, byte by byte if need be, and reads whole answers. */
public final class RawClient implements AutoCloseable {

  /** An answer: its status, its head in lower case, its body. */
  public record Answer(int status, String head, String body) {}

  /** Milliseconds until an answer is missing, even on a busy machine. */
  private static final int PATIENCE = 300_000;

  private final Socket socket;
  private final InputStream in;

  public RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE);
    in = new BufferedInputStream(socket.getInputStream());
  }

  public void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Whether the text could be sent, which it cannot once the server has closed the connection. */
  public boolean sends(String text) {
    try {
      send(text);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Says that nothing more will be sent. */
  public void endSending() throws IOException {
    socket.shutdownOutput();
  }

  public void sendEachByteAlone(String text) throws IOException {
    for (byte next : text.getBytes(StandardCharsets.ISO_8859_1)) {
      socket.getOutputStream().write(next);
      socket.getOutputStream().flush();
    }
  }

  public void get(String path) throws IOException {
    send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  /** The head of an answer that has no body, in lower case. */
  public String head() throws IOException {
    StringBuilder head = new StringBuilder();
    for (String line = line(); !line.isEmpty(); line = line()) {
      head.append(line.toLowerCase(java.util.Locale.ROOT)).append('\n');
    }
    return head.toString();
  }

  public Answer read() throws IOException {
    String head = line();
    int status = Integer.parseInt(head.split(" ", 3)[1]);
    StringBuilder all = new StringBuilder(head);
    int length = 0;
    for (String line = line(); !line.isEmpty(); line = line()) {
      String lower = line.toLowerCase(java.util.Locale.ROOT);
      all.append('\n').append(lower);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring("content-length:".length()).strip());
      }
    }
    return new Answer(
        status, all.toString(), new String(in.readNBytes(length), StandardCharsets.UTF_8));
  }

  /** Whether the server has closed the connection, with nothing left to read. */
  public boolean closedByServer() throws IOException {
    return in.read() < 0;
  }

  /**
   * Waits until the server closes the connection, in order or with a reset; false if it answers.
   */
  public boolean givenUp() {
    try {
      return closedByServer();
    } catch (IOException e) {
      return true;
    }
  }

  /** Goes away without a word, as a client does that crashes. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("closed in mid-answer after '" + line + "'");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
