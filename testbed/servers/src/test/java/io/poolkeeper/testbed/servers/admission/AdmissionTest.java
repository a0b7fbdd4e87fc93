package io.poolkeeper.testbed.servers.admission;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits in front of a server, against real sockets. */
@Timeout(300)
final class AdmissionTest {

  private static final int CLIENTS = 24;
  private static final int REQUESTS = 50;

  /** An error without a stack trace, since each is logged. */
  private static final class Breakdown extends Error {
    private static final long serialVersionUID = 1L;

    Breakdown() {
      super("broken", null, false, false);
    }
  }

  /** Adds up what the windows say. */
  private static final class Totals implements ControlListener {
    private final AtomicLong arrivals = new AtomicLong();
    private final AtomicLong completions = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong rejections = new AtomicLong();

    @Override
    public void onWindow(Resizable pool, Window window) {
      arrivals.addAndGet(window.arrivals()); // First: tests wait for the others.
      completions.addAndGet(window.completions());
      failures.addAndGet(window.failures());
      rejections.addAndGet(window.rejections());
    }

    long ended() {
      return completions.get() + failures.get() + rejections.get();
    }
  }

  private final Totals totals = new Totals();
  private final List<RawClient> clients = new ArrayList<>();

  /** Requests that the application has begun, and leave to end for each. */
  private final AtomicInteger begun = new AtomicInteger();

  private final Semaphore end = new Semaphore(0);

  @AfterEach
  void closeClients() throws IOException {
    end.release(1000);
    for (RawClient client : clients) {
      client.close();
    }
  }

  private TestServer server(String options) throws IOException {
    String[] all = (options + " --window 20ms").split(" ");
    return TestServer.admitting(totals, all);
  }

  private String held() throws InterruptedException {
    begun.incrementAndGet();
    assertThat(end.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
    return "fine";
  }

  private RawClient ask(TestServer server) throws IOException {
    RawClient client = server.connect();
    clients.add(client);
    client.get("/app");
    return client;
  }

  /** So many that run at once, each on a connection of its own. */
  private List<RawClient> hold(TestServer server, int count) throws IOException {
    List<RawClient> held = new ArrayList<>();
    int before = begun.get();
    for (int i = 0; i < count; i++) {
      held.add(ask(server));
    }
    await("all have begun", () -> begun.get() == before + count);
    return held;
  }

  private static List<Integer> statuses(List<RawClient> clients) throws IOException {
    List<Integer> statuses = new ArrayList<>();
    for (RawClient client : clients) {
      statuses.add(client.read().status());
    }
    return statuses;
  }

  @ParameterizedTest
  @ValueSource(strings = {"--admission fixed:3", "--admission adaptive --bounds 3..3"})
  void beyondTheLimitIsRefusedAtOnceAndNothingIsLost(String options) throws Exception {
    try (TestServer server = server(options)) {
      server.application = this::held;
      List<RawClient> held = hold(server, 3);
      RawClient.Answer refused = ask(server).read();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.body()).contains("too busy");
      RawClient elsewhere = server.connect();
      clients.add(elsewhere);
      elsewhere.get("/nothing");
      assertThat(elsewhere.read().status()).as("needs no permit").isEqualTo(404);
      end.release(3);
      assertThat(statuses(held)).containsOnly(200);
      // A permit comes back a moment after the answer has left.
      await("the windows tell of four", () -> totals.ended() == 4);
      held = hold(server, 3);
      end.release(3);
      assertThat(statuses(held)).as("the permits came back").containsOnly(200);
      await("the windows tell of seven", () -> totals.ended() == 7);
      assertThat(totals.rejections).hasValue(1);
      assertThat(totals.arrivals).hasValue(7);
    }
  }

  @Test
  void withoutALimitNothingIsRefused() throws Exception {
    try (TestServer server = server("--admission none")) {
      server.application = this::held;
      List<RawClient> held = hold(server, 40);
      end.release(40);
      assertThat(statuses(held)).containsOnly(200);
    }
  }

  /** Each request has one answer and is counted once, whatever the application throws. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--admission none",
        "--admission fixed:2",
        "--admission adaptive --bounds 1..4",
        "--admission netflix-vegas",
        "--admission netflix-gradient2",
        "--admission netflix-windowed-gradient2",
        "--admission netflix-aimd",
        "--admission failsafe-style"
      })
  void countsAddUpUnderAStorm(String options) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (TestServer server = server(options)) {
      server.application = () -> faulty(calls);
      int[] answers = storm(server);
      assertThat(answers[0] + answers[1] + answers[2]).isEqualTo(CLIENTS * REQUESTS);
      assertThat(answers[0] + answers[1]).as("what ran").isEqualTo(calls.get());
      await("all windows are in", () -> totals.ended() == (long) CLIENTS * REQUESTS);
      assertThat(totals.completions).as("200").hasValue(answers[0]);
      assertThat(totals.failures).as("500").hasValue(answers[1]);
      assertThat(totals.rejections).as("503").hasValue(answers[2]);
      assertThat(totals.arrivals).hasValue((long) CLIENTS * REQUESTS);
    }
  }

  /** The same where requests wait, also those whose wait ends in the moment of its grant. */
  @Test
  void countsAddUpWhereRequestsWait() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (TestServer server = server("--admission adaptive --bounds 1..4 --patience 1ms")) {
      server.application = () -> faulty(calls);
      int[] answers = storm(server);
      assertThat(answers[0] + answers[1] + answers[2]).isEqualTo(CLIENTS * REQUESTS);
      assertThat(answers[0] + answers[1]).as("what ran").isEqualTo(calls.get());
      await("arrivals", () -> totals.arrivals.get() == (long) CLIENTS * REQUESTS);
      await("ends", () -> totals.completions.get() + totals.failures.get() == calls.get());
      assertThat(totals.completions).as("200").hasValue(answers[0]);
      assertThat(totals.failures).as("500").hasValue(answers[1]);
      await("rejections", () -> totals.rejections.get() == answers[2]);
    }
  }

  private static String faulty(AtomicInteger calls) throws IOException {
    return switch (calls.incrementAndGet() % 10) {
      case 3 -> throw new IOException("downstream");
      case 6, 9 -> throw new Breakdown();
      default -> "fine";
    };
  }

  /** Answers with 200, 500 and 503. */
  private static int[] storm(TestServer server) throws Exception {
    AtomicInteger[] counts = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        all.add(
            threads.submit(
                () -> {
                  try (RawClient client = server.connect()) {
                    for (int request = 0; request < REQUESTS; request++) {
                      client.get("/app");
                      int status = client.read().status();
                      counts[status == 200 ? 0 : status == 500 ? 1 : 2].incrementAndGet();
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> result : all) {
        result.get();
      }
    } finally {
      threads.shutdownNow();
    }
    return new int[] {counts[0].get(), counts[1].get(), counts[2].get()};
  }

  /** A permit that an Error kept would leave no room for the last two. */
  @ParameterizedTest
  @ValueSource(strings = {"--admission fixed:2", "--admission adaptive --bounds 2..2"})
  void anErrorKeepsNoPermit(String options) throws Exception {
    try (TestServer server = server(options)) {
      server.application =
          () -> {
            throw new AssertionError("broken");
          };
      for (int i = 0; i < 5; i++) {
        assertThat(ask(server).read().status()).isIn(500, 503);
      }
      await("all windows are in", () -> totals.ended() == 5);
      server.application = this::held;
      List<RawClient> held = hold(server, 2);
      end.release(2);
      assertThat(statuses(held)).containsOnly(200);
    }
  }

  @Test
  void patienceLetsARequestWaitWithoutAThread() throws Exception {
    try (TestServer server = server("--admission adaptive --bounds 1..1 --patience 10m")) {
      server.application = this::held;
      List<RawClient> first = hold(server, 1);
      RawClient second = ask(server);
      await("the second waits", () -> server.queued() == 1);
      end.release(2);
      assertThat(first.get(0).read().status()).isEqualTo(200);
      assertThat(second.read().status()).isEqualTo(200);
    }
  }

  @Test
  void aWaitEndsWithPatience() throws Exception {
    try (TestServer server = server("--admission adaptive --bounds 1..1 --patience 30ms")) {
      server.application = this::held;
      List<RawClient> first = hold(server, 1);
      assertThat(ask(server).read().status()).isEqualTo(503);
      end.release(1);
      assertThat(first.get(0).read().status()).isEqualTo(200);
      await("all windows are in", () -> totals.ended() == 2);
      assertThat(totals.rejections).hasValue(1);
    }
  }

  /** Requests that run or wait when the server is stopped have their answers. */
  @Test
  void aStopAnswersWhatWasAdmittedAndWhatWaits() throws Exception {
    try (TestServer server = server("--admission adaptive --bounds 1..1 --patience 10m")) {
      server.application = this::held;
      List<RawClient> all = new ArrayList<>(hold(server, 1));
      all.add(ask(server));
      await("the second waits", () -> server.queued() == 1);
      CountDownLatch drained = new CountDownLatch(1);
      List<String> losses = new ArrayList<>();
      Thread stop =
          new Thread(
              () -> {
                try {
                  losses.addAll(server.drain());
                } catch (InterruptedException e) {
                  losses.add("interrupted");
                }
                drained.countDown();
              });
      stop.start();
      end.release(2);
      assertThat(statuses(all)).containsExactly(200, 200);
      assertThat(drained.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(losses).isEmpty();
    }
  }
}
