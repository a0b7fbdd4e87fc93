package io.poolkeeper.testbed.ntier.board;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Objective;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.ntier.database.DatabaseAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;

/** A board with its admin port in this process, and a client of both. */
final class BoardProcess implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  final Board board;
  private final BoardAdmin admin;
  private final HttpClient client = HttpClient.newHttpClient();

  BoardProcess(String url, int threads, int connections, Duration patience)
      throws SQLException, IOException {
    this(url, threads, connections, patience, Optional.empty());
  }

  BoardProcess(
      String url, int threads, int connections, Duration patience, Optional<SampleRule> admission)
      throws SQLException, IOException {
    DatabaseAddress address = new DatabaseAddress();
    new CommandLine(address).parseArgs("--jdbc-url", url);
    PoolTuning tuning = PoolTuning.named("coordinated", Objective.goodput(Duration.ofMillis(500)));
    board = new Board(0, threads, connections, address, patience, tuning, admission);
    admin = new BoardAdmin(0, board);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).build(), BodyHandlers.ofString());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + board.port() + path));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String form) throws IOException, InterruptedException {
    return client.send(
        request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build(),
        BodyHandlers.ofString());
  }

  JsonNode tier() throws IOException, InterruptedException {
    return JSON.readTree(admin("GET", "/tier").body());
  }

  /** The tier when no request is being handled: one counts only after its answer has left. */
  JsonNode idleTier() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    JsonNode tier = tier();
    while (tier.get("busy").asInt() > 0 || tier.get("queued").asInt() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not idle within " + PATIENCE + ": " + tier);
      }
      tier = tier();
    }
    return tier;
  }

  int adminPort() {
    return admin.port();
  }

  HttpResponse<String> admin(String method, String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort() + path))
            .method(method, BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  @Override
  public void close() {
    admin.close();
    board.close();
  }
}
