package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DrawsTest {

  private static List<Integer> drawn(long seed, int count) {
    Draws draws = new Draws(seed);
    return IntStream.range(0, count).mapToObj(i -> draws.between(1, 50_000)).toList();
  }

  @Test
  void oneSeedGivesTheSameNumbersInTheSameOrder() {
    assertThat(drawn(7, 1_000)).isEqualTo(drawn(7, 1_000));
  }

  @Test
  void anotherSeedGivesOtherNumbersEvenIfItIsTheNext() {
    List<Integer> first = drawn(1, 1_000);
    assertThat(drawn(2, 1_000)).isNotEqualTo(first).doesNotContainSequence(first.subList(1, 20));
  }

  @Test
  void threadsShareTheNumbersOut() throws Exception {
    Draws draws = new Draws(7);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<List<Integer>> some =
          () -> IntStream.range(0, 250).mapToObj(i -> draws.between(1, 50_000)).toList();
      List<Integer> all = new ArrayList<>();
      for (Future<List<Integer>> part : threads.invokeAll(List.of(some, some, some, some))) {
        all.addAll(part.get());
      }
      assertThat(all).containsExactlyInAnyOrderElementsOf(drawn(7, 1_000));
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void bothEndsAreDrawnAndNothingBeyond() {
    Draws draws = new Draws(1);
    assertThat(IntStream.range(0, 1_000).map(i -> draws.between(3, 5)).distinct().toArray())
        .containsExactlyInAnyOrder(3, 4, 5);
    assertThat(draws.between(4, 4)).isEqualTo(4);
  }
}
