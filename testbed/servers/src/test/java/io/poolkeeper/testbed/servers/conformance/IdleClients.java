package io.poolkeeper.testbed.servers.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients in a process of their own, since both ends of each in one would need twice as many open
 * files. Each line of standard input is a port and a number: it opens so many connections, says so,
 * and with the next line asks on every tenth of them; with the one after it, closes them.
 */
final class IdleClients implements AutoCloseable {

  private static final byte[] GET =
      "GET /app HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Process process;
  private final BufferedReader out;

  /** Starts the process. */
  IdleClients() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                IdleClients.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    out = process.inputReader();
  }

  /** Sends a line and returns the answer. */
  String say(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    return out.readLine();
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
  }

  /** The process. */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", 2);
      List<SocketChannel> clients = new ArrayList<>();
      InetSocketAddress server =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[0]));
      for (int i = Integer.parseInt(words[1]); i > 0; i--) {
        clients.add(SocketChannel.open(server));
      }
      System.out.println("open " + clients.size());
      in.readLine();
      System.out.println("answered " + answered(clients));
      in.readLine();
      for (SocketChannel client : clients) {
        client.close();
      }
      System.out.println("closed");
    }
  }

  private static int answered(List<SocketChannel> clients) throws IOException {
    int answered = 0;
    ByteBuffer bytes = ByteBuffer.allocate(1_000);
    for (int i = 0; i < clients.size(); i += 10) {
      clients.get(i).write(ByteBuffer.wrap(GET));
    }
    for (int i = 0; i < clients.size(); i += 10) {
      bytes.clear();
      clients.get(i).read(bytes);
      String answer = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
      answered += answer.startsWith("HTTP/1.1 200 OK") && answer.endsWith("fine") ? 1 : 0;
    }
    return answered;
  }
}
