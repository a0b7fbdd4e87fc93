package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients who arrive, over real sockets. */
@Timeout(300)
class OpenLoadTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  @TempDir private Path folder = Path.of("");

  private static LoadCommand run(ScriptedServer server, Path folder, String load) {
    LoadCommand command =
        LoadCommand.run(load, "--target", server.url(), "--record", folder.toString(), "--jtl");
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  /**
   * A server that answers at once, but for a time in which it answers nobody: a full garbage
   * collection, a lock, a failover.
   */
  private static ScriptedServer stalling(CountDownLatch requests, long millis) throws Exception {
    long[] stallEnds = new long[1];
    CompletableFuture<Void> stalls = new CompletableFuture<>();
    return new ScriptedServer(
        client -> {
          requests.countDown();
          if (requests.getCount() == 0) {
            synchronized (stalls) {
              if (!stalls.isDone()) {
                stallEnds[0] = System.nanoTime() + millis * MILLI;
                stalls.complete(null);
              }
            }
            for (long left = stallEnds[0] - System.nanoTime();
                left > 0;
                left = stallEnds[0] - System.nanoTime()) {
              LockSupport.parkNanos(left);
            }
          }
          client.send(FixedAnswerServer.HELLO);
        });
  }

  /**
   * 200 requests a second meet a server that stands still for 1 s of 2 s. So 200 of 400 arrive
   * meanwhile and wait between 0 and 1 s: the 90th percentile must show it, as half of the clients
   * feel it. One closed user with the same rate in mind, the naive measurement, sees a single slow
   * answer.
   */
  @Test
  void aStallIsSeenByAllWhoArriveInIt() throws Exception {
    Path open = folder.resolve("open");
    try (ScriptedServer server = stalling(new CountDownLatch(100), 1000)) {
      run(
          server,
          open,
          """
          clients:
            kind: open
            arrivals: constant
            phases: [{rate: 200/s, for: 2s}, {rate: 0/s, for: 2s}]
          http: {a: /a}
          connections: 10
          """);
    }
    Path closed = folder.resolve("closed");
    try (ScriptedServer server = stalling(new CountDownLatch(20), 1000)) {
      run(
          server,
          closed,
          """
          clients: {kind: closed, users: 1, think_time: 5ms}
          for: 3s
          http: {a: /a}
          """);
    }

    JsonNode schedule = LoadCommand.summary(open).get("schedule");
    assertThat(schedule.get("offered").asLong()).isEqualTo(400);
    assertThat(schedule.get("sent").asLong()).isEqualTo(400);
    assertThat(schedule.get("unsent").asLong()).isZero();
    assertThat(schedule.get("waited_for_connection").asLong()).isGreaterThan(150);
    List<Map<String, String>> samples = LoadCommand.rows(open.resolve("samples.jtl"));
    assertThat(samples).hasSize(400);
    long slow = samples.stream().filter(row -> millis(row) >= 50).count();
    assertThat(slow).as("190 arrive in the first 950 ms of the stall").isGreaterThan(180);
    assertThat(p(open, 90)).isGreaterThan(700 * MILLI);

    List<Map<String, String>> naive = LoadCommand.rows(closed.resolve("samples.jtl"));
    assertThat(naive.stream().filter(row -> millis(row) >= 900)).as("the one it sent").hasSize(1);
    assertThat(p(closed, 90))
        .as("coordinated omission: the naive measurement hides what half of the clients feel")
        .isLessThan(p(open, 90) / 2);
  }

  private static long millis(Map<String, String> row) {
    return Long.parseLong(row.getOrDefault("elapsed", ""));
  }

  private static long p(Path record, int percentile) throws Exception {
    return LoadCommand.summary(record).get("response").get("p" + percentile + "_ns").asLong();
  }

  /** {@code timeStamp} is when a request should have been sent: every 5 ms, whatever the server. */
  @Test
  void samplesBearTheIntendedStart() throws Exception {
    try (ScriptedServer server = stalling(new CountDownLatch(20), 300)) {
      run(
          server,
          folder,
          """
          clients:
            kind: open
            arrivals: constant
            phases: [{rate: 200/s, for: 1s}, {rate: 0/s, for: 2s}]
          http: {a: /a}
          connections: 2
          """);
    }

    List<Long> starts =
        LoadCommand.rows(folder.resolve("samples.jtl")).stream()
            .map(row -> Long.parseLong(row.getOrDefault("timeStamp", "")))
            .sorted()
            .toList();
    assertThat(starts).hasSize(200);
    for (int i = 0; i < starts.size(); i++) {
      assertThat(starts.get(i) - starts.get(0)).isEqualTo(i * 5L);
    }
  }

  @Test
  void allFilesAgreeOnWhatWasOfferedAndWhatWasNeverSent() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger requests = new AtomicInteger();
    LoadCommand command;
    try (ScriptedServer server =
        new ScriptedServer(
            client -> {
              if (requests.incrementAndGet() >= 150) {
                never.await();
              }
              client.send(FixedAnswerServer.HELLO);
            })) {
      command =
          run(
              server,
              folder,
              """
              clients:
                kind: open
                phases: [{rate: 100/s, for: 1s}, {rate: 200/s, for: 1s}, {rate: 0/s, for: 1s}]
              http: {a: /a}
              connections: 3
              timeout: 3s
              """);
    }

    JsonNode summary = LoadCommand.summary(folder);
    JsonNode schedule = summary.get("schedule");
    long offered = schedule.get("offered").asLong();
    long sent = schedule.get("sent").asLong();
    long unsent = schedule.get("unsent").asLong();
    assertThat(offered).as("300 expected, give or take four times 17").isBetween(230L, 370L);
    assertThat(unsent).isEqualTo(offered - sent).isGreaterThan(50);
    assertThat(sent)
        .isEqualTo(summary.get("requests").asLong() + summary.get("unfinished").asLong());
    long answered = 149;
    assertThat(summary.get("errors_by_kind").get("timeout").asLong())
        .isEqualTo(summary.get("requests").asLong() - answered);
    assertThat(summary.get("warnings").toString())
        .contains("%d of %d requests".formatted(unsent, offered), "never sent", "3 connections");
    assertThat(command.err()).contains("never sent");
    assertThat(command.out()).contains("%d requests offered".formatted(offered));
    List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
    assertThat(LoadCommand.sum(rows, "offered")).isEqualTo(offered);
    assertThat(LoadCommand.sum(rows, "sent")).isEqualTo(sent);
    assertThat(LoadCommand.rows(folder.resolve("samples.jtl")))
        .hasSize(summary.get("requests").asInt())
        .allSatisfy(row -> assertThat(row.get("threadName")).matches("open 1-[123]"));
  }

  @Test
  void severalThreadsOfferWhatOneDoes() throws Exception {
    long[] offered = new long[2];
    for (int threads = 1; threads <= 2; threads++) {
      Path record = folder.resolve("threads" + threads);
      try (ScriptedServer server =
          new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
        LoadCommand command =
            LoadCommand.run(
                """
                clients:
                  kind: half-open
                  phases: [{rate: 100/s, for: 1.5s}, {rate: 0/s, for: 2s}]
                  arrivals: {peak: 4, burst: 100ms, quiet: 400ms}
                  stay: 0.5
                  think_time: exponential 10ms
                http: {a: /a}
                """,
                "--target",
                server.url(),
                "--record",
                record.toString(),
                "--threads",
                "" + threads);

        assertThat(command.code()).as(command.err()).isZero();
        JsonNode summary = LoadCommand.summary(record);
        assertThat(summary.get("errors").asLong()).isZero();
        assertThat(summary.get("requests").asLong()).isEqualTo(server.requests());
        assertThat(summary.get("schedule").get("unsent").asLong()).isZero();
        offered[threads - 1] = summary.get("schedule").get("offered").asLong();
      }
    }
    // All sessions have ended by themselves: the seed alone says when.
    assertThat(offered[1]).isEqualTo(offered[0]).isGreaterThan(100);
  }
}
