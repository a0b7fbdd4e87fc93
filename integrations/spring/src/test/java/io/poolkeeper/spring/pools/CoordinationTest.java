package io.poolkeeper.spring.pools;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.PoolkeeperProperties;
import org.junit.jupiter.api.Test;

/** The range of decisions, and the controllers of pools that are sized together. */
final class CoordinationTest {

  private final Pools pools = new Pools(new PoolkeeperProperties(), false);

  private static Window window(int size, long count, long service, long wait) {
    return Window.builder(0, 1_000_000_000, size)
        .busy(size)
        .queue(5, 9)
        .completions(count)
        .times(times(count, wait), times(count, service), times(count, wait + service))
        .build();
  }

  private static TimeStats times(long count, long nanos) {
    return new TimeStats(count, nanos, nanos, nanos, nanos, nanos, nanos, nanos);
  }

  @Test
  void loopsThatRunAreSizedTogetherFromThenOn() {
    TunedPool web = pools.add(pools.settings(Pools.WEB), Kind.THREADS, HostMaximum.none(200), 40);
    TunedPool source = pools.add(pools.settings("db"), Kind.CONNECTIONS, HostMaximum.none(40), 30);
    Controller threads = web.range().controller(Objective.throughput());
    Controller connections = source.range().controller(Objective.throughput());
    assertThat(threads.name()).isEqualTo("response-curve");

    Coordination.start(pools);

    assertThat(threads.name()).isEqualTo("coordinated-threads");
    assertThat(connections.name()).isEqualTo("coordinated-connections");
    threads.decide(window(40, 500, 100_000_000, 0));
    connections.decide(window(30, 1000, 9_000_000, 5_000_000));
    assertThat(threads.decide(window(40, 500, 100_000_000, 0)).numbers())
        .containsEntry("residence", 9e6)
        .containsKey("visits");
  }

  @Test
  void decisionsOfThePairStayWithinTheRange() {
    TunedPool web = pools.add(pools.settings(Pools.WEB), Kind.THREADS, HostMaximum.none(200), 40);
    TunedPool source = pools.add(pools.settings("db"), Kind.CONNECTIONS, HostMaximum.none(40), 30);
    Controller threads = web.range().controller(Objective.throughput());
    Coordination.coordinate(web, source);
    web.bounds(new Bounds(2, 5));

    Decision decision = threads.decide(window(40, 100, 1_000_000, 0));

    assertThat(decision.size()).isBetween(2, 5);
  }

  @Test
  void decisionsStayWithinARangeThatChanges() {
    Range range = new Range(new Bounds(2, 20), 50);
    assertThat(range.widest()).isEqualTo(new Bounds(2, 50));
    range.choose(new Bounds(2, 5));
    var controller = range.controller(Objective.throughput());

    Decision decision = controller.decide(WindowOfIdlePool.OF_50);

    assertThat(decision.size()).isEqualTo(2); // Nothing is busy.
    assertThat(decision.reason()).contains("the limit is 2");
  }

  /** A pool of which nothing is busy. */
  private static final class WindowOfIdlePool {
    private static final Window OF_50 =
        Window.builder(0, 1_000_000_000, 50)
            .completions(100)
            .times(times(100, 0), times(100, 1_000_000), times(100, 1_000_000))
            .build();
  }
}
