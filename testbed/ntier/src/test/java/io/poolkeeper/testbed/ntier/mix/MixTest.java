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
   * Expected requests of a session by name: the solution {@code v} of {@code v = e + v P} with the
   * first request {@code e} and the transitions {@code P}, by elimination.
   */
  private static Map<String, Double> visits(LoadDescription load) throws IOException {
    Requests.Chain chain = (Requests.Chain) load.clients().requests(load.clients().phases().get(0));
    List<String> names = List.copyOf(chain.names());
    int n = names.size();
    double[][] equations = new double[n][n + 1];
    for (int i = 0; i < n; i++) {
      equations[i][i] += 1;
      equations[i][n] = names.get(i).equals(chain.first()) ? 1 : 0;
      for (int j = 0; j < n; j++) {
        Map<String, Double> next = chain.next().getOrDefault(names.get(j), Map.of());
        equations[i][j] -= next.getOrDefault(names.get(i), 0.0);
      }
    }
    for (int pivot = 0; pivot < n; pivot++) {
      for (int row = 0; row < n; row++) {
        double factor = equations[row][pivot] / equations[pivot][pivot];
        for (int column = pivot; row != pivot && column <= n; column++) {
          equations[row][column] -= factor * equations[pivot][column];
        }
      }
    }
    Map<String, Double> visits = new HashMap<>();
    for (int i = 0; i < n; i++) {
      visits.put(names.get(i), equations[i][n] / equations[i][i]);
    }
    return visits;
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
