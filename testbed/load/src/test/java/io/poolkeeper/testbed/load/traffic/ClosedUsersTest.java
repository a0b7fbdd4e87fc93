package io.poolkeeper.testbed.load.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.load.Loads;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Users in virtual time, against a server that answers each request after a fixed time. */
class ClosedUsersTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long START = 5_000_000_000L;

  /** A request that was sent: by whom, what, and when, in nanoseconds since the start. */
  private record Sent(int user, String name, long at) {}

  private record Answer(long at, boolean valid, Sender.Listener user) {}

  private final List<Sent> sent = new ArrayList<>();
  private final List<Integer> closed = new ArrayList<>();

  /** Requests under way since a time. */
  private final TreeMap<Long, Integer> underWay = new TreeMap<>();

  private final PriorityQueue<Answer> answers =
      new PriorityQueue<>(Comparator.comparingLong(Answer::at));
  private long serviceTime = MILLI;
  private Predicate<Sent> server = request -> true;
  private long now = START;

  private void run(LoadDescription load, int threadCount) {
    List<ClosedUsers> threads =
        IntStream.range(0, threadCount)
            .mapToObj(i -> users(load, new Share(i, threadCount)))
            .toList();
    threads.forEach(thread -> thread.begin(load, START));
    while (threads.stream().anyMatch(thread -> !thread.finished())) {
      threads.forEach(thread -> thread.advance(now));
      underWay.put(now - START, threads.stream().mapToInt(ClosedUsers::sending).sum());
      long due =
          threads.stream()
              .mapToLong(thread -> Math.min(thread.nextChange(), thread.nextSend()))
              .min()
              .orElseThrow();
      long answered = answers.isEmpty() ? Long.MAX_VALUE : answers.element().at();
      now = Math.max(now, Math.min(due, answered));
      while (!answers.isEmpty() && answers.element().at() <= now) {
        Answer answer = answers.remove();
        answer.user().ended(answer.valid(), now);
      }
    }
  }

  private ClosedUsers users(LoadDescription load, Share share) {
    return new ClosedUsers(load, (Clients.Closed) load.clients(), share, this::sender);
  }

  private Sender sender(int user, Sender.Listener listener) {
    return new Sender() {
      @Override
      public void send(Request request, long start, long time) {
        assertThat(start).as("closed users have no other time than now").isEqualTo(time);
        Sent record = new Sent(user, request.name(), start - START);
        sent.add(record);
        answers.add(new Answer(start + serviceTime, server.test(record), listener));
      }

      @Override
      public void close() {
        closed.add(user);
      }
    };
  }

  private int underWayAt(long millis) {
    return underWay.floorEntry(millis * MILLI).getValue();
  }

  private static LoadDescription load(String rest) {
    return Loads.of("clients: {kind: closed, " + rest + "}\nhttp: {a: /}");
  }

  @Test
  void phasesChangeTheNumberOfUsersAtOnce() {
    serviceTime = 7 * MILLI;
    run(
        load(
            "phases: [{users: 50, for: 1s}, {users: 3, for: 0.5s},"
                + " {users: 0, for: 0.25s}, {users: 90, for: 1s}]"),
        2);

    assertThat(underWayAt(0)).as("users appear at once, in batches").isPositive();
    assertThat(IntStream.of(1, 500, 999).map(this::underWayAt)).containsOnly(50);
    // Who leaves finishes the request that is under way.
    assertThat(underWayAt(1000)).isEqualTo(50);
    assertThat(IntStream.of(1007, 1200, 1499).map(this::underWayAt)).containsOnly(3);
    assertThat(underWayAt(1507)).isZero();
    assertThat(IntStream.of(1751, 2000, 2749).map(this::underWayAt)).containsOnly(90);
    assertThat(now - START).isBetween(2750 * MILLI, 2757 * MILLI);
    assertThat(closed).as("50 leave, and 90 at the end").hasSize(140);
  }

  @Test
  void aUserWhoReturnsBeforeItsAnswerComesSendsOneRequestAtATime() {
    serviceTime = 100 * MILLI;
    run(
        load(
            "phases: [{users: 4, for: 0.05s}, {users: 0, for: 0.02s},"
                + " {users: 4, for: 0.93s}]"),
        1);

    assertThat(underWay.values()).allMatch(count -> count <= 4);
    assertThat(sent).hasSize(4 * 10);
  }

  @Test
  void eachPhaseSendsItsOwnRequests() {
    serviceTime = 3 * MILLI;
    run(
        Loads.of(
            """
            clients:
              kind: closed
              requests: {c: 1}
              phases:
                - {users: 5, requests: {a: 1}, for: 0.1s}
                - {users: 5, requests: {a: 0.5, b: 0.5}, for: 1s}
                - {users: 2, for: 0.1s}
                - {users: 2, requests: {b: 1}, for: 0.1s}
            http: {a: /a, b: /b, c: /c}
            """),
        2);

    assertThat(names(0, 100)).containsOnlyKeys("a");
    assertThat(names(100, 1100)).containsOnlyKeys("a", "b");
    // 1,667 expected, half of them of each kind with a standard deviation of 20.
    assertThat(names(100, 1100).get("a")).isCloseTo(833, within(100L));
    assertThat(names(1100, 1200)).containsOnlyKeys("c");
    assertThat(names(1200, 1300)).containsOnlyKeys("b");
  }

  private Map<String, Long> names(long from, long to) {
    return sent.stream()
        .filter(request -> from * MILLI <= request.at() && request.at() < to * MILLI)
        .collect(Collectors.groupingBy(Sent::name, Collectors.counting()));
  }

  @Test
  void aUserWhoThinksLeavesAtOnce() {
    run(load("think_time: 400ms," + " phases: [{users: 2, for: 0.2s}, {users: 1, for: 1s}]"), 1);

    assertThat(sent).filteredOn(request -> request.user() == 1).hasSize(1);
    assertThat(sent).filteredOn(request -> request.user() == 0).hasSize(3);
    assertThat(closed).containsExactly(1, 0);
  }

  @Test
  void constantThinkTimeGivesAnExactRate() {
    run(load("think_time: 24ms, phases: [{users: 10, for: 10s}]"), 1);

    // Each user is back after 1 ms of service and 24 ms of thinking, half a millisecond early.
    assertThat(sent.size()).isBetween(4000, 4090);
  }

  @Test
  void exponentialThinkTimeHasItsMean() {
    run(load("think_time: exponential 19ms, phases: [{users: 20, for: 30s}]"), 1);

    // 30,000 requests expected; the standard deviation of their number is about 165.
    assertThat(sent.size()).isCloseTo(30_000, within(30_000 * 4 / 100));
    List<Long> gaps = gapsOfUser(0);
    double mean = gaps.stream().mapToLong(gap -> gap).average().orElseThrow();
    double squares = gaps.stream().mapToDouble(gap -> (gap - mean) * (gap - mean)).sum();
    assertThat(Math.sqrt(squares / gaps.size()) / mean)
        .as("an exponential time varies as much as its mean")
        .isCloseTo(0.95, within(0.12));
  }

  private List<Long> gapsOfUser(int user) {
    long[] times = sent.stream().filter(each -> each.user() == user).mapToLong(Sent::at).toArray();
    return IntStream.range(1, times.length).mapToObj(i -> times[i] - times[i - 1]).toList();
  }

  @Test
  void requestsComeAsOftenAsTheirProbabilitiesSay() {
    run(
        Loads.of(
            """
            clients:
              kind: closed
              phases: [{users: 10, for: 1s}]
              requests: {a: 0.6, never: 0, b: 0.3, c: 0.1}
            http: {a: /, b: /, c: /, never: /}
            seed: 3
            """),
        1);

    Map<String, Long> counts =
        sent.stream().collect(Collectors.groupingBy(Sent::name, Collectors.counting()));
    assertThat(counts).containsOnlyKeys("a", "b", "c");
    assertThat(counts.get("a")).isCloseTo(6000, within(250L));
    assertThat(counts.get("b")).isCloseTo(3000, within(250L));
    assertThat(counts.get("c")).isCloseTo(1000, within(150L));
  }

  @Test
  void choicesOfAUserDependOnSeedAndNumberAlone() {
    String yaml =
        """
        clients:
          kind: closed
          phases: [{users: 7, for: 2s}]
          think_time: exponential 5ms
          requests: {a: 0.5, b: 0.5}
        http: {a: /, b: /}
        seed: %d
        """;
    run(Loads.of(yaml.formatted(1)), 1);
    List<String> alone = namesOfUser(5);
    ClosedUsersTest other = new ClosedUsersTest();
    other.serviceTime = 3 * MILLI;
    other.run(Loads.of(yaml.formatted(1)), 3);
    ClosedUsersTest reseeded = new ClosedUsersTest();
    reseeded.run(Loads.of(yaml.formatted(2)), 1);

    int length = 100;
    assertThat(alone.subList(0, length)).isEqualTo(other.namesOfUser(5).subList(0, length));
    assertThat(alone.subList(0, length)).isNotEqualTo(namesOfUser(4).subList(0, length));
    assertThat(alone.subList(0, length)).isNotEqualTo(reseeded.namesOfUser(5).subList(0, length));
  }

  private List<String> namesOfUser(int user) {
    return sent.stream().filter(each -> each.user() == user).map(Sent::name).toList();
  }

  @Test
  void pausesGrowWhileThereIsNoAnswerAndEndWithOne() {
    server = request -> request.at() > 5000 * MILLI;
    run(load("phases: [{users: 1, for: 6s}]"), 1);

    List<Long> gaps = gapsOfUser(0).stream().map(gap -> Math.round((double) gap / MILLI)).toList();
    assertThat(gaps.subList(0, 10))
        .usingElementComparator(Comparator.comparingLong(gap -> gap / 3))
        .containsExactly(11L, 21L, 41L, 81L, 161L, 321L, 641L, 1001L, 1001L, 1001L);
    assertThat(sent.stream().filter(request -> request.at() > 5900 * MILLI).count())
        .as("requests of 1 ms, one after the other")
        .isGreaterThan(90);
  }

  @Test
  void whatAUserSendsMayDependOnTheRequestBefore() {
    run(
        Loads.of(
            """
            clients:
              kind: closed
              phases: [{users: 1, for: 1s}]
              chain: {first: login, next: {login: {read: 1}, read: {read: 0.5, end: 0.5}}}
            http: {login: /l, read: /r}
            """),
        1);

    List<String> names = namesOfUser(0);
    assertThat(names).startsWith("login", "read");
    // Of each two reads on average one ends the session, and a login follows.
    assertThat(Collections.frequency(names, "login")).isCloseTo(names.size() / 3, within(60));
    for (int i = 1; i < names.size(); i++) {
      assertThat(names.get(i - 1) + names.get(i)).isNotEqualTo("loginlogin");
    }
  }

  @Test
  void usersGoBackOnTheWayThatTheyCame() {
    run(
        Loads.of(
            """
            clients:
              kind: closed
              phases: [{users: 1, for: 1s}]
              chain:
                first: home
                next: {home: {list: 0.5, item: 0.5}, list: {item: 1}, item: {back: 0.5, end: 0.5}}
            http: {home: /h, list: /l, item: /i}
            """),
        1);

    List<String> names = namesOfUser(0);
    assertThat(names).startsWith("home").contains("list", "item");
    int back = 0;
    for (int i = 2; i < names.size(); i++) {
      // The list follows an item on the way back alone, which is where that item was opened from.
      if (names.get(i).equals("list") && names.get(i - 1).equals("item")) {
        back++;
        assertThat(names.get(i - 2)).as("request %d", i - 2).isEqualTo("list");
      }
    }
    assertThat(back).isPositive();
  }

  @Test
  void usersOfAWarmUpGoOnWithNewChoices() {
    String yaml =
        """
        clients:
          kind: closed
          phases: [{users: 0, for: 0.1s}, {users: 3, for: 1s}, {users: 5, for: 1s}]
          requests: {a: 0.5, b: 0.5}
        http: {a: /, b: /}
        """;
    LoadDescription load = Loads.of(yaml.replace("{users: 0, for: 0.1s}, ", ""));
    ClosedUsers users = users(load, new Share(0, 1));
    users.begin(load.warmUp(), START);
    play(users, 500 * MILLI);
    assertThat(sent).extracting(Sent::user).containsOnly(0, 1, 2);
    assertThat(sent).hasSizeBetween(3 * 499, 3 * 501);
    List<String> warmUp = namesOfUser(1);
    sent.clear();

    users.begin(load, START + 500 * MILLI);
    play(users, 2600 * MILLI);
    assertThat(users.finished()).isTrue();
    assertThat(closed).as("nobody left before the end").hasSize(5);
    assertThat(namesOfUser(1).subList(1, 100))
        .as("the seed decides, not how long the warm-up was")
        .isEqualTo(warmUp.subList(1, 100));
    assertThat(sent).filteredOn(each -> each.user() == 4).hasSizeBetween(999, 1001);

    LoadDescription ramp =
        Loads.of(yaml.replace("users: 0,", "users: 0 to 0,").replace("users: 3", "users: 0 to 3"));
    assertThat(ramp.warmUp().clients().phases().get(0).from()).isEqualTo(3);
    LoadDescription late = Loads.of(yaml);
    assertThat(late.warmUp().clients().phases())
        .singleElement()
        .satisfies(phase -> assertThat(phase.from()).isEqualTo(3));
  }

  /**
   * However many threads share the users, and though those who leave finish what they have sent.
   */
  @Test
  void usersOfARampJoinAndLeaveOneByOne() {
    serviceTime = 7 * MILLI;
    LoadDescription load =
        Loads.of(
            """
            clients:
              kind: closed
              phases: [{users: 2 to 10, for: 800ms}, {users: 10 to 0, for: 500ms}]
            http: {a: /}
            """);

    run(load, 3);

    Map<Integer, Long> first =
        sent.stream().collect(Collectors.toMap(Sent::user, Sent::at, Math::min, TreeMap::new));
    assertThat(first.values())
        .containsExactly(
            IntStream.range(0, 10)
                .mapToObj(user -> Math.max(0, 50 + 100 * (user - 2)) * MILLI)
                .toArray(Long[]::new));
    Map<Integer, Long> last =
        sent.stream().collect(Collectors.toMap(Sent::user, Sent::at, Math::max, TreeMap::new));
    for (int user = 0; user < 10; user++) {
      long leaves = (1300 - 50 * user - 25) * MILLI;
      assertThat(last.get(user)).isBetween(leaves - serviceTime, leaves - 1);
    }
    assertThat(closed).hasSize(10);
    assertThat(load.warmUp().clients().phases().get(0).from()).isEqualTo(2);
  }

  /** Goes on until {@code end}, in nanoseconds since the start. */
  private void play(ClosedUsers users, long end) {
    while (now < START + end) {
      users.advance(now);
      long due = Math.min(users.nextChange(), users.nextSend());
      long answered = answers.isEmpty() ? Long.MAX_VALUE : answers.element().at();
      now = Math.max(now, Math.min(START + end, Math.min(due, answered)));
      while (!answers.isEmpty() && answers.element().at() <= now) {
        answers.remove().user().ended(true, now);
      }
    }
  }
}
