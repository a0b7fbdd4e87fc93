package io.poolkeeper.testbed.ntier.mix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.load.description.DescriptionReader;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.ntier.interactions.Interactions;
import io.poolkeeper.testbed.ntier.web.Interaction;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The shares of requests in both mixes, from the exact solution of their chains. */
class MixTest {

  private static final Path LOADS = Path.of("../../experiments/ntier/loads");

  private static final Set<String> WRITES =
      Set.of(
          "RegisterUser",
          "StoreComment",
          "StoreModerateLog",
          "StoreStory",
          "AcceptStory",
          "RejectStory");
  private static final Set<String> SEARCHES =
      Set.of("Search", "SearchInStories", "SearchInComments", "SearchInUsers");

  private static LoadDescription load(String name) throws Exception {
    Path file = LOADS.resolve(name + ".yaml");
    try (InputStream in = Files.newInputStream(file)) {
      return DescriptionReader.read(file.toString(), in, 1L << 30);
    }
  }

  /**
   * Expected requests of a session by name. An episode of a request is all that follows until its
   * client goes back from it, or the session ends. It ends by going back with the probability
   * {@code R(i) = back(i) / (1 - sum_j P(i,j) R(j))}, since the client is at {@code i} again after
   * each episode that ends so; its requests are {@code V(i) = (i + sum_j P(i,j) V(j)) / (1 - sum_j
   * P(i,j) R(j))}. At the first request of a session nothing is to be gone back to.
   */
  private static Map<String, Double> visits(LoadDescription load) throws IOException {
    Requests.Chain chain = (Requests.Chain) load.clients().requests(load.clients().phases().get(0));
    List<String> names = List.copyOf(chain.names());
    Map<String, Double> returns = new HashMap<>();
    Map<String, Map<String, Double>> visits = new HashMap<>();
    // The least solution, from below: a session has a dozen requests, so a thousand steps are
    // enough.
    for (int step = 0; step < 1000; step++) {
      Map<String, Double> nextReturns = new HashMap<>();
      Map<String, Map<String, Double>> nextVisits = new HashMap<>();
      for (String name : names) {
        Map<String, Double> row = Objects.requireNonNull(chain.next().get(name));
        double again = 1 - sum(names, row, returns);
        nextReturns.put(name, row.getOrDefault(Requests.BACK, 0.0) / again);
        nextVisits.put(name, episode(name, names, row, 1, returns, visits));
      }
      returns = nextReturns;
      visits = nextVisits;
    }
    Map<String, Double> first = Objects.requireNonNull(chain.next().get(chain.first()));
    double others = 1 - first.getOrDefault(Requests.BACK, 0.0);
    return episode(chain.first(), names, first, others, returns, visits);
  }

  private static double sum(
      List<String> names, Map<String, Double> row, Map<String, Double> values) {
    return names.stream()
        .mapToDouble(each -> row.getOrDefault(each, 0.0) * values.getOrDefault(each, 0.0))
        .sum();
  }

  private static Map<String, Double> episode(
      String name,
      List<String> names,
      Map<String, Double> row,
      double others,
      Map<String, Double> returns,
      Map<String, Map<String, Double>> visits) {
    double again = 1 - sum(names, row, returns) / others;
    Map<String, Double> found = new HashMap<>();
    for (String visited : names) {
      double sum = visited.equals(name) ? 1 : 0;
      for (String following : names) {
        sum +=
            row.getOrDefault(following, 0.0)
                / others
                * visits.getOrDefault(following, Map.of()).getOrDefault(visited, 0.0);
      }
      found.put(visited, sum / again);
    }
    return found;
  }

  private static double sum(Map<String, Double> visits) {
    return visits.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private static double share(Map<String, Double> visits, Set<String> names) {
    return names.stream().mapToDouble(name -> visits.getOrDefault(name, 0.0)).sum() / sum(visits);
  }

  @Test
  void browseOnlyMixHasThePublishedShares() throws Exception {
    Map<String, Double> visits = visits(load("browse"));
    assertThat(sum(visits)).isEqualTo(12, within(0.1));
    assertThat(share(visits, Set.of("ViewComment"))).isEqualTo(0.28, within(0.001));
    assertThat(share(visits, Set.of("ViewStory"))).isEqualTo(0.27, within(0.001));
    assertThat(share(visits, Set.of("StoriesOfTheDay"))).isEqualTo(0.22, within(0.001));
    assertThat(share(visits, SEARCHES)).isEqualTo(0.07, within(0.001));
    assertThat(share(visits, WRITES)).isZero();
  }

  @Test
  void readWriteMixHasThePublishedShareOfWrites() throws Exception {
    Map<String, Double> visits = visits(load("read-write"));
    assertThat(sum(visits)).isEqualTo(14, within(0.1));
    assertThat(share(visits, WRITES)).isEqualTo(0.12, within(0.001));
    // Every interaction of the board occurs.
    assertThat(visits.keySet()).isEqualTo(Interactions.all().keySet());
    assertThat(visits.values()).allMatch(each -> each > 0.01);
  }

  @Test
  void usersGoBackInBothMixes() throws Exception {
    for (String name : List.of("browse", "read-write")) {
      LoadDescription load = load(name);
      assertThat(
              ((Requests.Chain) load.clients().requests(load.clients().phases().get(0))).goesBack())
          .as(name)
          .isTrue();
    }
  }

  @Test
  void requestsUseTheMethodsOfTheBoardAndCheckTheirAnswers() throws Exception {
    for (Request request : load("read-write").requests()) {
      Interaction interaction =
          Objects.requireNonNull(Interactions.all().get(request.name()), request.name());
      assertThat(request.method()).isEqualTo(interaction.method());
      assertThat(request.expectedText()).startsWith("<p class=\"done\">" + request.name());
      assertThat(request.path()).startsWith("/" + request.name());
    }
  }

  @Test
  void writesAreThosePostsThatChangeData() {
    Set<String> posts = new TreeSet<>(WRITES);
    posts.add("AuthorTask"); // It takes a password, and changes nothing.
    Interactions.all()
        .values()
        .forEach(
            each ->
                assertThat(each.method().equals("POST"))
                    .as(each.name())
                    .isEqualTo(posts.contains(each.name())));
  }
}
