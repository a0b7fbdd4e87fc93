package io.poolkeeper.testbed.load.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.random.Arrivals;
import io.poolkeeper.testbed.load.Loads;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Arriving clients in virtual time, against a server that answers each request after a time. */
class ArrivingClientsTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long START = 5_000_000_000L;

  /** A request that was sent, in nanoseconds since the start. */
  private record Sent(int client, String name, long intended, long at) {}

  private record Answer(long at, Sender.Listener client) {}

  /** Report of a thread on a request that it sent. */
  private record Punctuality(long lag, boolean waited, boolean arrival) {}

  private final List<Sent> sent = new ArrayList<>();
  private final List<Punctuality> reports = new ArrayList<>();
  private final PriorityQueue<Answer> answers =
      new PriorityQueue<>(Comparator.comparingLong(Answer::at));
  private final AtomicInteger underWay = new AtomicInteger();

  /** Service time by the time at which a request is sent, since the start. */
  private LongUnaryOperator serviceTime = at -> MILLI;

  /** Delay of the load thread behind its schedule, by the time. */
  private LongUnaryOperator delay = at -> 0;

  private long now = START;
  private int mostUnderWay;

  /** Length of a warm-up that is played before. */
  private long warmUp;

  private void run(LoadDescription load, int threadCount) {
    List<ArrivingClients> threads =
        IntStream.range(0, threadCount)
            .mapToObj(
                i ->
                    new ArrivingClients(
                        load,
                        (Clients.Arriving) load.clients(),
                        new Share(i, threadCount),
                        this::sender,
                        (lag, waited, arrival) ->
                            reports.add(new Punctuality(lag, waited, arrival)),
                        underWay))
            .toList();
    if (warmUp > 0) {
      threads.forEach(thread -> thread.begin(load.warmUp(), START - warmUp));
      now = START - warmUp;
    } else {
      threads.forEach(thread -> thread.begin(load, START));
    }
    boolean warm = warmUp == 0;
    while (threads.stream().anyMatch(thread -> !thread.finished())) {
      if (!warm && START <= now) {
        warm = true;
        sent.clear();
        reports.clear();
        threads.forEach(thread -> thread.begin(load, START));
      }
      threads.forEach(thread -> thread.advance(now));
      mostUnderWay = Math.max(mostUnderWay, underWay.get());
      long due =
          threads.stream()
              .mapToLong(thread -> Math.min(thread.nextChange(), thread.nextSend()))
              .min()
              .orElseThrow();
      long answered = answers.isEmpty() ? Long.MAX_VALUE : answers.element().at();
      long next = Math.min(Math.min(due, answered), warm ? Long.MAX_VALUE : START);
      if (next == Long.MAX_VALUE) {
        break;
      }
      now = Math.max(now, next + delay.applyAsLong(next - START));
      while (!answers.isEmpty() && answers.element().at() <= now) {
        answers.remove().client().ended(true, now);
      }
    }
    assertThat(threads).allMatch(ArrivingClients::finished);
  }

  private Sender sender(int client, Sender.Listener listener) {
    return new Sender() {
      @Override
      public void send(Request request, long start, long time) {
        assertThat(start).as("never before its time").isLessThanOrEqualTo(time);
        sent.add(new Sent(client, request.name(), start - START, time - START));
        answers.add(new Answer(time + serviceTime.applyAsLong(time - START), listener));
      }

      @Override
      public void close() {
        throw new AssertionError("connections are kept");
      }
    };
  }

  private static LoadDescription open(String clients) {
    return Loads.of("clients: {kind: open, " + clients + "}\nhttp: {a: /}\nconnections: 4\n");
  }

  private long[] intended() {
    return sent.stream().mapToLong(Sent::intended).toArray();
  }

  @Test
  void constantArrivalsComeOnTime() {
    run(
        open("arrivals: constant, phases: [{rate: 100/s, for: 0.1s}, {rate: 1000/s, for: 0.05s}]"),
        1);

    assertThat(intended())
        .containsExactly(
            IntStream.range(0, 60)
                .mapToLong(i -> i < 10 ? i * 10L * MILLI : 100 * MILLI + (i - 10) * MILLI)
                .toArray());
    assertThat(reports).allMatch(each -> each.lag() == 0 && !each.waited() && each.arrival());
    // Each waits for 1 ms, as the next one comes.
    assertThat(sent).allMatch(each -> each.client() < 2);
  }

  @Test
  void whatIsSentDependsOnThePhaseOfTheArrivalHoweverLateItIsSent() {
    // Nothing is answered before 150 ms, so that 6 of the first 10 are sent in the second phase.
    serviceTime = at -> Math.max(MILLI, 150 * MILLI - at);
    run(
        Loads.of(
            """
            clients:
              kind: open
              arrivals: constant
              phases:
                - {rate: 100/s, requests: {a: 1}, for: 0.1s}
                - {rate: 100/s, requests: {b: 1}, for: 0.1s}
            http: {a: /a, b: /b}
            connections: 4
            """),
        1);

    assertThat(sent).hasSize(20);
    assertThat(sent)
        .allMatch(each -> each.name().equals(each.intended() < 100 * MILLI ? "a" : "b"))
        .anyMatch(each -> each.name().equals("a") && each.at() >= 100 * MILLI);
  }

  @Test
  void aWarmUpSendsTheRequestsOfTheFirstPhaseWithALoad() {
    LoadDescription load =
        Loads.of(
            """
            clients:
              kind: open
              phases:
                - {rate: 0/s, requests: {a: 1}, for: 1s}
                - {rate: 100/s, requests: {b: 1}, for: 1s}
            http: {a: /a, b: /b}
            """);
    assertThat(load.warmUp().clients().names()).containsExactly("b");
    assertThat(load.warmUp().names()).containsExactly("a", "b");
  }

  @Test
  void whatArrivesDependsOnTheSeedAndNotOnTheServerOrTheThreads() {
    String load = "phases: [{rate: 500/s, for: 2s}, {rate: 0/s, for: 1s}, {rate: 2000/s, for: 1s}]";
    run(open(load), 1);
    ArrivingClientsTest other = new ArrivingClientsTest();
    other.serviceTime = at -> at % 7 == 0 ? MILLI : MILLI / 4;
    other.run(open(load), 3);
    ArrivingClientsTest reseeded = new ArrivingClientsTest();
    reseeded.run(Loads.of("clients: {kind: open, " + load + "}\nhttp: {a: /}\nseed: 2"), 1);

    assertThat(other.intended()).containsExactlyInAnyOrder(intended());
    assertThat(reseeded.intended()).isNotEqualTo(intended());
    // 3000 expected with a standard deviation of 55; none in the second phase.
    assertThat(sent.size()).isCloseTo(3000, within(250));
    assertThat(LongStream.of(intended())).noneMatch(at -> 2000 * MILLI <= at && at < 3000 * MILLI);
  }

  @Test
  void aServerThatStallsMakesThoseWaitWhoArriveMeanwhile() {
    // Answers to what is sent in the first 300 ms come at its end.
    serviceTime = at -> Math.max(MILLI, 300 * MILLI - at);
    run(open("arrivals: constant, phases: [{rate: 100/s, for: 1s}]"), 1);

    assertThat(sent).hasSize(100);
    assertThat(mostUnderWay).isEqualTo(4);
    assertThat(sent)
        .filteredOn(each -> each.at() > each.intended())
        .as("those due from 40 ms to 300 ms, and none of them is left out")
        .hasSize(27)
        .allMatch(each -> each.at() >= 300 * MILLI);
    assertThat(reports).filteredOn(Punctuality::waited).hasSize(27);
    assertThat(reports)
        .as("waiting for a connection is no fault of the generator")
        .allMatch(each -> each.lag() <= 7 * MILLI);
  }

  @Test
  void aGeneratorThatIsHeldUpTellsByHowMuch() {
    delay = at -> at == 500 * MILLI ? 200 * MILLI : 0;
    run(open("arrivals: constant, phases: [{rate: 10/s, for: 1s}]"), 1);

    assertThat(sent).hasSize(10);
    assertThat(reports).extracting(Punctuality::lag).contains(200 * MILLI, 100 * MILLI, 0L);
    assertThat(reports).noneMatch(Punctuality::waited);
  }

  @Test
  void whatFindsNoConnectionUntilTheEndOrItsTimeoutIsNeverSent() {
    serviceTime = at -> 10_000 * MILLI;
    run(open("arrivals: constant, phases: [{rate: 100/s, for: 1s}]"), 1);
    assertThat(sent).as("as many as there are connections").hasSize(4);

    ArrivingClientsTest impatient = new ArrivingClientsTest();
    impatient.serviceTime = at -> at < 100 * MILLI ? 500 * MILLI : MILLI;
    impatient.run(
        Loads.of(
            """
            clients: {kind: open, arrivals: constant, phases: [{rate: 100/s, for: 1s}]}
            http: {a: /}
            connections: 1
            timeout: 200ms
            """),
        1);
    // Sent at 0, which is answered at 500 ms; then those who came from 310 ms on.
    assertThat(impatient.intended())
        .hasSize(1 + 69)
        .contains(0, 310 * MILLI)
        .doesNotContain(300 * MILLI);
  }

  @Test
  void sessionsSendAGeometricNumberOfRequestsWithThinkTimesBetween() {
    run(
        Loads.of(
            """
            clients: {kind: half-open, rate: 100/s, stay: 0.75, think_time: 20ms}
            for: 20s
            http: {a: /}
            """),
        2);

    long sessions = reports.stream().filter(Punctuality::arrival).count();
    assertThat(sessions).isCloseTo(2000, within(180L));
    // Four requests on average; the standard deviation of a session's number is sqrt(12).
    assertThat((double) reports.size() / sessions).isCloseTo(4, within(0.35));
    // A request 1 ms, then 20 ms of thought: by Little's law 6.7 sessions are there at a time.
    assertThat(sent.stream().mapToInt(Sent::client).distinct().count()).isBetween(10L, 40L);
    assertThat(reports).allMatch(each -> each.lag() == 0);
  }

  @Test
  void sessionsFollowTheirChain() {
    run(
        Loads.of(
            """
            clients:
              kind: half-open
              rate: 200/s
              chain:
                first: login
                next: {login: {read: 1}, read: {read: 0.5, buy: 0.25, end: 0.25}, buy: {end: 1}}
            for: 10s
            http: {login: /l, read: /r, buy: /b}
            """),
        1);

    long sessions = reports.stream().filter(Punctuality::arrival).count();
    assertThat(count("login")).isEqualTo(sessions);
    assertThat((double) count("read") / sessions).isCloseTo(2, within(0.15));
    assertThat((double) count("buy") / sessions).isCloseTo(0.5, within(0.05));
  }

  private long count(String name) {
    return sent.stream().filter(each -> each.name().equals(name)).count();
  }

  @Test
  void whoThinksWhenTheLoadEndsLeaves() {
    run(
        Loads.of(
            """
            clients: {kind: half-open, arrivals: constant, rate: 1/s, stay: 0.999, think_time: 300ms}
            for: 1s
            http: {a: /}
            """),
        1);

    assertThat(intended()).containsExactly(0, 301 * MILLI, 602 * MILLI, 903 * MILLI);
  }

  @Test
  void whatArrivesAfterAWarmUpIsWhatArrivesWithoutOne() {
    String load = "phases: [{rate: 500/s, for: 1s}, {rate: 50/s, for: 1s}]";
    run(open(load), 1);
    ArrivingClientsTest warmed = new ArrivingClientsTest();
    warmed.warmUp = 700 * MILLI + 1;
    warmed.run(open(load), 3);

    assertThat(warmed.intended()).containsExactlyInAnyOrder(intended());
    assertThat(warmed.reports).allMatch(Punctuality::arrival);
  }

  @Test
  void aBacklogOfTheWarmUpIsDropped() {
    warmUp = 1000 * MILLI;
    // Nobody is answered before measuring begins; 4 connections for 100 who arrive.
    serviceTime = at -> at < 0 ? -at : MILLI;
    run(open("arrivals: constant, phases: [{rate: 100/s, for: 1s}]"), 1);

    assertThat(intended())
        .containsExactly(IntStream.range(0, 100).mapToLong(i -> i * 10L * MILLI).toArray());
    assertThat(reports).filteredOn(Punctuality::waited).isEmpty();
  }

  @Test
  void sessionsOfTheWarmUpGoOn() {
    warmUp = 100 * MILLI;
    String load =
        """
        clients: {kind: half-open, arrivals: constant, rate: 1/s, stay: 0.9999999, think_time: %s}
        for: 1s
        http: {a: /}
        """;
    run(Loads.of(load.formatted("300ms")), 1);
    assertThat(reports).filteredOn(Punctuality::arrival).as("the one who comes at 0").hasSize(1);
    assertThat(intended())
        .as("in between those of the one who came 100 ms before the border")
        .containsExactly(
            0, 201 * MILLI, 301 * MILLI, 502 * MILLI, 602 * MILLI, 803 * MILLI, 903 * MILLI);

    ArrivingClientsTest slow = new ArrivingClientsTest();
    slow.warmUp = 100 * MILLI;
    slow.run(Loads.of(load.formatted("5s")), 1);
    assertThat(slow.intended()).as("who thinks until after the end leaves").containsExactly(0);
  }

  /** As the simulator has them: the description alone says when requests start, on any threads. */
  @Test
  void requestsOfARampStartWhereTheDescriptionSays() {
    String yaml =
        """
        clients:
          kind: open
          phases: [{rate: 0/s to 100/s, for: 2s}, {rate: 100/s to 20/s, for: 1s}]
          arrivals: constant
        http: {a: /}
        """;
    LoadDescription load = Loads.of(yaml);
    run(load, 3);

    // From 0: after t seconds 25 t^2 have come. Down again: 100 t - 40 t^2.
    List<Long> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      expected.add(Math.round(Math.sqrt(i / 25.0) * 1e9));
    }
    for (int i = 0; i < 60; i++) {
      expected.add(2_000_000_000L + Math.round((100 - Math.sqrt(10_000 - 160.0 * i)) / 80 * 1e9));
    }
    assertThat(sent).hasSize(expected.size());
    List<Long> starts = sent.stream().map(Sent::intended).sorted().toList();
    for (int i = 0; i < starts.size(); i++) {
      assertThat(starts.get(i)).isCloseTo(expected.get(i), within(1L));
    }
    assertThat(sent).allSatisfy(each -> assertThat(each.at()).isEqualTo(each.intended()));

    LoadDescription random = Loads.of(yaml.replace("constant", "poisson"));
    List<Long> drawn = new ArrayList<>();
    for (Arrivals all = random.arrivals((Clients.Arriving) random.clients()); all.next(); ) {
      drawn.add(Math.round(all.at() * 1e9));
    }
    sent.clear();
    now = START;
    run(random, 2);
    assertThat(sent.stream().map(Sent::intended).sorted()).isEqualTo(drawn);
  }
}
