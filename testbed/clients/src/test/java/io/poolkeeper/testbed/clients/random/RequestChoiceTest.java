package io.poolkeeper.testbed.clients.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.clients.Requests;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.commons.rng.UniformRandomProvider;
import org.junit.jupiter.api.Test;

/** Sessions that go back on the way that they came. */
class RequestChoiceTest {

  private static final List<String> NAMES = List.of("home", "list", "item");
  private static final int HOME = 0;

  private final UniformRandomProvider random = new SplittableRandom(1)::nextLong;

  private static RequestChoice choice(Map<String, Map<String, Double>> next) {
    return new RequestChoice(Requests.chain("home", next), NAMES, 0);
  }

  @Test
  void backIsTheRequestFromWhichTheClientCame() {
    // Nothing leads from an item to the list but the way back.
    RequestChoice choice =
        choice(
            Map.of(
                "home", Map.of("list", 0.5, "item", 0.5),
                "list", Map.of("item", 0.6, Requests.BACK, 0.4),
                "item", Map.of("item", 0.4, Requests.BACK, 0.6)));
    RequestHistory history = new RequestHistory();
    Deque<Integer> left = new ArrayDeque<>();
    int request = HOME;
    for (int i = 0; i < 10_000; i++) {
      int next = choice.next(request, history, random);
      if (history.size() < left.size()) {
        assertThat(next).as("step %d, back from %d", i, request).isEqualTo(left.pop());
      } else {
        left.push(request);
      }
      assertThat(history.size()).isEqualTo(left.size());
      request = next;
    }
  }

  @Test
  void whereThereIsNothingToGoBackToTheOthersKeepTheirProportions() {
    RequestChoice choice =
        choice(
            Map.of(
                "home", Map.of("list", 0.1, "item", 0.3, Requests.BACK, 0.6),
                "list", Map.of(Requests.END, 1.0),
                "item", Map.of(Requests.END, 1.0)));
    int lists = 0;
    for (int i = 0; i < 10_000; i++) {
      lists += choice.next(HOME, new RequestHistory(), random) == 1 ? 1 : 0;
    }
    assertThat(lists / 10_000.0).isEqualTo(0.25, within(0.02));
  }

  @Test
  void theEndForgetsTheWay() {
    RequestChoice choice =
        choice(
            Map.of(
                "home", Map.of("list", 1.0),
                "list", Map.of(Requests.END, 0.5, Requests.BACK, 0.5),
                "item", Map.of(Requests.END, 1.0)));
    RequestHistory history = new RequestHistory();
    int request = HOME;
    for (int i = 0; request != RequestChoice.END; i++) {
      assertThat(i).isLessThan(1000);
      request = choice.next(request, history, random);
    }
    assertThat(history.isEmpty()).isTrue();
  }

  @Test
  void aHistoryForgetsTheOldestAndKeepsTheOrder() {
    RequestHistory history = new RequestHistory();
    for (int i = 0; i < 2 * RequestHistory.MOST; i++) {
      history.push(i);
    }
    assertThat(history.size()).isEqualTo(RequestHistory.MOST);
    for (int i = 2 * RequestHistory.MOST - 1; i >= RequestHistory.MOST; i--) {
      assertThat(history.pop()).isEqualTo(i);
    }
    assertThat(history.isEmpty()).isTrue();
  }
}
