package io.tidepool.testbed.load.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tidepool.testbed.load.Loads;
import io.tidepool.testbed.load.description.LoadDescription;
import io.tidepool.testbed.load.description.Request;
import java.util.ArrayList;
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
            .mapToObj(i -> new ClosedUsers(load, new Share(i, threadCount), this::sender))
            .toList();
    threads.forEach(thread -> thread.begin(START));
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

  private Sender sender(int user, Sender.Listener listener) {
    return new Sender() {
      @Override
      public void send(Request request, long start) {
        Sent one = new Sent(user, request.name(), start - START);
        sent.add(one);
        answers.add(new Answer(start + serviceTime, server.test(one), listener));
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
    return Loads.of("{'users': 'closed', 'requests': [{'name': 'a', 'path': '/'}], " + rest + "}");
  }

  @Test
  void phasesChangeTheNumberOfUsersAtOnce() {
    serviceTime = 7 * MILLI;
    run(
        load(
            "'phases': [{'users': 50, 'seconds': 1}, {'users': 3, 'seconds': 0.5},"
                + " {'users': 0, 'seconds': 0.25}, {'users': 90, 'seconds': 1}]"),
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
            "'phases': [{'users': 4, 'seconds': 0.05}, {'users': 0, 'seconds': 0.02},"
                + " {'users': 4, 'seconds': 0.93}]"),
        1);

    assertThat(underWay.values()).allMatch(count -> count <= 4);
    assertThat(sent).hasSize(4 * 10);
  }

  @Test
  void aUserWhoThinksLeavesAtOnce() {
    run(
        load(
            "'think_time_ms': 400,"
                + " 'phases': [{'users': 2, 'seconds': 0.2}, {'users': 1, 'seconds': 1}]"),
        1);

    assertThat(sent).filteredOn(request -> request.user() == 1).hasSize(1);
    assertThat(sent).filteredOn(request -> request.user() == 0).hasSize(3);
    assertThat(closed).containsExactly(1, 0);
  }

  @Test
  void constantThinkTimeGivesAnExactRate() {
    run(load("'think_time_ms': 24, 'phases': [{'users': 10, 'seconds': 10}]"), 1);

    // Each user is back after 1 ms of service and 24 ms of thinking, half a millisecond early.
    assertThat(sent.size()).isBetween(4000, 4090);
  }

  @Test
  void exponentialThinkTimeHasItsMean() {
    run(load("'think_time_ms': {'exponential': 19}, 'phases': [{'users': 20, 'seconds': 30}]"), 1);

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
    long[] times = sent.stream().filter(one -> one.user() == user).mapToLong(Sent::at).toArray();
    return IntStream.range(1, times.length).mapToObj(i -> times[i] - times[i - 1]).toList();
  }

  @Test
  void requestsComeAsOftenAsTheirWeightsSay() {
    run(
        Loads.of(
            """
            {'users': 'closed', 'phases': [{'users': 10, 'seconds': 1}], 'seed': 3,
             'requests': [{'name': 'a', 'path': '/', 'weight': 6},
                          {'name': 'never', 'path': '/', 'weight': 0},
                          {'name': 'b', 'path': '/', 'weight': 3},
                          {'name': 'c', 'path': '/', 'weight': 1}]}
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
    String json =
        """
        {'users': 'closed', 'phases': [{'users': 7, 'seconds': 2}], 'seed': %d,
         'think_time_ms': {'exponential': 5},
         'requests': [{'name': 'a', 'path': '/'}, {'name': 'b', 'path': '/'}]}
        """;
    run(Loads.of(json.formatted(1)), 1);
    List<String> alone = namesOfUser(5);
    ClosedUsersTest other = new ClosedUsersTest();
    other.serviceTime = 3 * MILLI;
    other.run(Loads.of(json.formatted(1)), 3);
    ClosedUsersTest reseeded = new ClosedUsersTest();
    reseeded.run(Loads.of(json.formatted(2)), 1);

    int length = 100;
    assertThat(alone.subList(0, length)).isEqualTo(other.namesOfUser(5).subList(0, length));
    assertThat(alone.subList(0, length)).isNotEqualTo(namesOfUser(4).subList(0, length));
    assertThat(alone.subList(0, length)).isNotEqualTo(reseeded.namesOfUser(5).subList(0, length));
  }

  private List<String> namesOfUser(int user) {
    return sent.stream().filter(one -> one.user() == user).map(Sent::name).toList();
  }

  @Test
  void pausesGrowWhileThereIsNoAnswerAndEndWithOne() {
    server = request -> request.at() > 5000 * MILLI;
    run(load("'phases': [{'users': 1, 'seconds': 6}]"), 1);

    List<Long> gaps = gapsOfUser(0).stream().map(gap -> Math.round((double) gap / MILLI)).toList();
    assertThat(gaps.subList(0, 10))
        .usingElementComparator(Comparator.comparingLong(gap -> gap / 3))
        .containsExactly(11L, 21L, 41L, 81L, 161L, 321L, 641L, 1001L, 1001L, 1001L);
    assertThat(sent.stream().filter(request -> request.at() > 5900 * MILLI).count())
        .as("requests of 1 ms, one after the other")
        .isGreaterThan(90);
  }
}
