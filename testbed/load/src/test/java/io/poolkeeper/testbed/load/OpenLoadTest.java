package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients who arrive, over real sockets. */
@Timeout(300)
class OpenLoadTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** Milliseconds from which an answer is slow that a stall of a second has held. */
  private static final long SLOW = 900;

  @TempDir private Path folder = Path.of("");

  /** Runs a load until something has happened. */
  private static LoadCommand run(
      ScriptedServer server, Path folder, LoadCommand.End end, String load) throws IOException {
    LoadCommand command =
        LoadCommand.runUntil(
            end, load, "--target", server.url(), "--record", folder.toString(), "--jtl");
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  /**
   * A script that answers at once, but for a time in which it answers nobody: a full garbage
   * collection, a lock, a failover.
   */
  private static final class Stall implements ScriptedServer.Script {
    private final AtomicInteger before;
    private final long length;
    private final AtomicInteger slow = new AtomicInteger();
    private long end;

    /**
     * @param before request with which it begins
     */
    Stall(int before, long millis) {
      this.before = new AtomicInteger(before);
      length = millis * MILLI;
    }

    @Override
    public void answer(ScriptedServer.Client client) throws IOException {
      long arrival = System.nanoTime();
      int left = before.decrementAndGet();
      if (left <= 0) {
        awaitEnd();
      }
      if (System.nanoTime() - arrival >= SLOW * MILLI) {
        slow.incrementAndGet();
      }
      client.send(FixedAnswerServer.HELLO);
    }

    private void awaitEnd() {
      long until = end();
      for (long rest = until - System.nanoTime(); rest > 0; rest = until - System.nanoTime()) {
        LockSupport.parkNanos(rest);
      }
    }

    private synchronized long end() {
      if (end == 0) {
        end = System.nanoTime() + length;
      }
      return end;
    }

    /** Answers that it has held for {@link #SLOW} or longer. */
    int slow() {
      return slow.get();
    }
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
    try (ScriptedServer server = new ScriptedServer(new Stall(100, 1000))) {
      run(
          server,
          open,
          () -> LoadCommand.awaitRecorded(open, 400),
          """
          clients:
            kind: open
            arrivals: constant
            phases: [{rate: 200/s, for: 2s}, {rate: 0/s, for: 600s}]
          timeout: 300s
          http: {a: /a}
          connections: 10
          """);
    }
    Path closed = folder.resolve("closed");
    Stall stall = new Stall(20, 1000);
    LimitedAnswers answers = new LimitedAnswers(100, 1, stall);
    try (ScriptedServer server = new ScriptedServer(answers)) {
      run(
          server,
          closed,
          answers::awaitRest,
          """
          clients: {kind: closed, users: 1, think_time: 5ms}
          for: 600s
          timeout: 300s
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
    assertThat(naive).hasSize(100);
    assertThat(naive.stream().filter(row -> millis(row) >= SLOW).count())
        .as("the one it sent, and others only if the machine stood still")
        .isGreaterThanOrEqualTo(stall.slow());
    assertThat(stall.slow()).isPositive();
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
    try (ScriptedServer server = new ScriptedServer(new Stall(20, 300))) {
      run(
          server,
          folder,
          () -> LoadCommand.awaitRecorded(folder, 200),
          """
          clients:
            kind: open
            arrivals: constant
            phases: [{rate: 200/s, for: 1s}, {rate: 0/s, for: 600s}]
          timeout: 300s
          http: {a: /a}
          connections: 2
          """);
    }

    List<Long> starts =
        LoadCommand.sorted(LoadCommand.rows(folder.resolve("samples.jtl")), "timeStamp");
    assertThat(starts).hasSize(200);
    for (int i = 0; i < starts.size(); i++) {
      assertThat(starts.get(i) - starts.get(0)).isEqualTo(i * 5L);
    }
  }

  @Test
  void allFilesAgreeOnWhatWasOfferedAndWhatWasNeverSent() throws Exception {
    int answered = 149;
    LimitedAnswers answers =
        new LimitedAnswers(answered, 3, client -> client.send(FixedAnswerServer.HELLO));
    LoadCommand command;
    try (ScriptedServer server = new ScriptedServer(answers)) {
      command =
          run(
              server,
              folder,
              () -> {
                answers.awaitRest();
                // Two seconds have passed, and with them all arrivals.
                LoadCommand.awaitRows(folder, rows -> rows.size() >= 2);
              },
              """
              clients:
                kind: open
                phases: [{rate: 100/s, for: 1s}, {rate: 200/s, for: 1s}, {rate: 0/s, for: 600s}]
              http: {a: /a}
              connections: 3
              timeout: 300s
              """);
    }

    JsonNode summary = LoadCommand.summary(folder);
    JsonNode schedule = summary.get("schedule");
    long offered = schedule.get("offered").asLong();
    long sent = schedule.get("sent").asLong();
    long unsent = schedule.get("unsent").asLong();
    assertThat(offered).as("300 expected, give or take four times 17").isBetween(230L, 370L);
    assertThat(unsent).isEqualTo(offered - sent).isGreaterThan(50);
    assertThat(summary.get("requests").asInt()).isEqualTo(answered);
    assertThat(summary.get("unfinished").asInt()).isEqualTo(3);
    assertThat(sent).isEqualTo(answered + 3);
    assertThat(summary.get("errors").asInt()).isZero();
    assertThat(summary.get("warnings").toString())
        .contains("%d of %d requests".formatted(unsent, offered), "never sent", "3 connections");
    assertThat(command.err()).contains("never sent");
    assertThat(command.out()).contains("%d requests offered".formatted(offered));
    List<Map<String, String>> rows = LoadCommand.rows(folder.resolve("load.csv"));
    assertThat(LoadCommand.sum(rows, "offered")).isEqualTo(offered);
    assertThat(LoadCommand.sum(rows, "sent")).isEqualTo(sent);
    assertThat(LoadCommand.rows(folder.resolve("samples.jtl")))
        .hasSize(answered)
        .allSatisfy(row -> assertThat(row.get("threadName")).matches("open 1-[123]"));
  }

  @Test
  void severalThreadsOfferWhatOneDoes() throws Exception {
    long offered = offered(1);

    assertThat(offered).isGreaterThan(100);
    assertThat(offered(2)).isEqualTo(offered);
  }

  /** Requests of a load whose sessions all end by themselves, so that the seed alone says when. */
  private long offered(int threads) throws Exception {
    AtomicLong offered = new AtomicLong();
    RealLength.repeat(
        factor -> {
          Path record = folder.resolve("threads" + threads + "-" + factor);
          double tail = 1.5 * factor;
          try (ScriptedServer server =
              new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
            LoadCommand command =
                LoadCommand.run(
                    """
                    clients:
                      kind: half-open
                      phases: [{rate: 100/s, for: 1.5s}, {rate: 0/s, for: %ss}]
                      arrivals: {peak: 4, burst: 100ms, quiet: 400ms}
                      stay: 0.5
                      think_time: exponential 10ms
                    timeout: 300s
                    http: {a: /a}
                    """
                        .formatted(tail),
                    "--target",
                    server.url(),
                    "--record",
                    record.toString(),
                    "--threads",
                    "" + threads);

            assertThat(command.code()).as(command.err()).isZero();
            JsonNode summary = LoadCommand.summary(record);
            if (answersFrom(record, summary, 0.5 + tail) > 0) {
              return false; // the end may have cut a session off
            }

            assertThat(summary.get("errors").asLong()).isZero();
            assertThat(summary.get("requests").asLong()).isEqualTo(server.requests());
            assertThat(summary.get("schedule").get("unsent").asLong()).isZero();
            offered.set(summary.get("schedule").get("offered").asLong());
            return true;
          }
        });
    return offered.get();
  }

  /** Answers read in intervals that end after so many seconds. */
  private static long answersFrom(Path record, JsonNode summary, double seconds)
      throws IOException {
    long from = summary.get("start_ns").asLong() + Math.round(seconds * 1000) * MILLI;
    List<Map<String, String>> rows = LoadCommand.rows(record.resolve("load.csv"));
    return LoadCommand.sum(
        rows.stream().filter(row -> Long.parseLong(row.getOrDefault("end_ns", "")) > from).toList(),
        "requests");
  }
}
