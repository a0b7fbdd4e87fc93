package io.poolkeeper.testbed.benchmarks.overhead;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads the stream of a console as its page does, in a process of its own. */
final class ConsoleReader implements AutoCloseable {

  private final Process process;

  /** Returns once the first event has begun to arrive, which is a large one. */
  ConsoleReader(URI page) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ConsoleReader.class.getName(),
                page.toString())
            .redirectError(Redirect.DISCARD)
            .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    if (output.readLine() == null) {
      close();
      throw new IOException("the reader of the page gets no event");
    }
  }

  /** Reads the stream of the page whose address is the argument, until it ends. */
  public static void main(String[] arguments) throws IOException {
    URI page = URI.create(arguments[0]);
    URI stream = page.resolve("/api/stream?name=" + ConsoleService.FIRST_POOL);
    HttpURLConnection connection = (HttpURLConnection) stream.toURL().openConnection();
    connection.setRequestProperty("Authorization", "Bearer " + page.getFragment());
    try (InputStream body = connection.getInputStream()) {
      if (body.read() >= 0) {
        System.out.println("reading");
        body.transferTo(OutputStream.nullOutputStream());
      }
    }
  }

  boolean isReading() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
