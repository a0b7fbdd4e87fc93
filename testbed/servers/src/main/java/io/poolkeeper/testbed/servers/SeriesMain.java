package io.poolkeeper.testbed.servers;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.poolkeeper.testbed.commands.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * One server after another in the same process, so that pools can be compared on a virtual machine
 * that has compiled what they all run: a fresh one gets faster for tens of seconds, whatever the
 * pool.
 *
 * <p>Each line of standard input is a JSON array with the arguments of {@link ServerMain}; the
 * server before is ended, its requests answered, and the next one says that it is ready. One that
 * cannot be started says {@code {"event": "failed", "error": ...}}. An empty array ends the server
 * and says {@code {"event": "ended"}}. Ends when standard input closes or on SIGTERM.
 */
public final class SeriesMain {

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final TypeReference<List<String>> ARGUMENTS = new TypeReference<>() {};

  private final PrintStream out;
  private @Nullable ServerMain current;
  private boolean ended;

  private SeriesMain(PrintStream out) {
    this.out = out;
  }

  /** Takes no arguments. */
  public static void main(String[] args) throws IOException {
    Termination.exitWithZero();
    SeriesMain series = new SeriesMain(System.out);
    Runtime.getRuntime().addShutdownHook(new Thread(series::end, "stop"));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      series.next(line);
    }
    System.exit(0);
  }

  private synchronized void next(String line) throws IOException {
    stop();
    if (ended) {
      return;
    }
    try {
      List<String> arguments = JSON.readValue(line, ARGUMENTS);
      if (arguments.isEmpty()) {
        tell(Map.of("event", "ended"));
        return;
      }
      ServerMain server = new ServerMain(out);
      new CommandLine(server).parseArgs(arguments.toArray(String[]::new));
      Map<String, Object> ready = server.begin();
      current = server;
      Service.announce(out, ready);
    } catch (Exception e) { // Whatever it is, the caller must hear of it, and may try another.
      tell(Map.of("event", "failed", "error", String.valueOf(e.getMessage())));
    }
  }

  private void tell(Map<String, Object> message) throws IOException {
    out.println(JSON.writeValueAsString(message));
    out.flush();
  }

  private void stop() {
    ServerMain server = current;
    current = null;
    if (server != null) {
      server.stop();
    }
  }

  private synchronized void end() {
    ended = true;
    stop();
  }
}
