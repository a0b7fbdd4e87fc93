package io.poolkeeper.testbed.peers.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(300)
final class PeerPoolsTest {

  static Stream<Arguments> pools() {
    return PeerPools.all().entrySet().stream()
        .map(each -> Arguments.of(each.getKey(), each.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pools")
  void runsTasksAndHasTheSizeThatItIsGiven(String name, IntFunction<PeerPool> maker)
      throws InterruptedException {
    try (PeerPool pool = maker.apply(3)) {
      assertThat(pool.name()).isEqualTo(name);
      assertThat(pool.size()).isEqualTo(3);
      CountDownLatch atOnce = new CountDownLatch(3);
      CountDownLatch release = new CountDownLatch(1);
      for (int i = 0; i < 5; i++) {
        pool.execute(
            () -> {
              atOnce.countDown();
              awaitQuietly(release);
            });
      }
      assertThat(atOnce.await(300, TimeUnit.SECONDS)).as("three at once").isTrue();
      while (pool.queued() != 2) { // A virtual thread queues once it runs.
        Thread.onSpinWait();
      }
      assertThat(pool.threads()).isEqualTo(3);
      release.countDown();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pools")
  void takesEverySizeWithinItsBoundsAndNoOther(String name, IntFunction<PeerPool> maker) {
    try (PeerPool pool = maker.apply(4)) {
      for (int size : new int[] {pool.bounds().minimum(), pool.bounds().maximum(), 4}) {
        pool.resize(size);
        assertThat(pool.size()).as(name).isEqualTo(size);
      }
      assertThatThrownBy(() -> pool.resize(0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("size must be within");
      assertThat(pool.size()).as("unchanged").isEqualTo(4);
    }
  }

  @Test
  void virtualThreadsAreThereFromJdk21On() {
    assertThat(PeerPools.all().containsKey("virtual-threads"))
        .isEqualTo(Runtime.version().feature() >= 21);
    assertThat(Map.copyOf(PeerPools.all()))
        .containsKeys("jdk", "jdk-maximum", "fork-join", "jboss", "jetty", "tomcat");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The pool was closed.
    }
  }
}
