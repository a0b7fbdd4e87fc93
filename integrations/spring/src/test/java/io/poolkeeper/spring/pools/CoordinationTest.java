package io.poolkeeper.spring.pools;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.PoolkeeperProperties;
import org.junit.jupiter.api.Test;

/** The range of decisions, and the ceiling that threads set to connections. */
final class CoordinationTest {

  private final Pools pools = new Pools(new PoolkeeperProperties(), false);
  private final Resizable web = Resizable.of("web", new Bounds(1, 200), () -> 40, n -> {});
  private final Resizable source = Resizable.of("db", new Bounds(1, 40), () -> 30, n -> {});

  private static Window window(int size, long count, long service, long wait) {
    return Window.builder(0, 1_000_000_000, size)
        .completions(count)
        .times(times(count, wait), times(count, service), times(count, wait + service))
        .build();
  }

  private static TimeStats times(long count, long nanos) {
    return new TimeStats(count, nanos, nanos, nanos, nanos, nanos, nanos, nanos);
  }

  @Test
  void connectionsFollowTheRatioOfTheMeasuredTimes() {
    TunedPool connections = pools.add(pools.settings("db"), Kind.CONNECTIONS, 40, null, 10);
    Coordination coordination = new Coordination(connections);

    // 100 ms a request, of which 10 ms are waits for connections; two uses of 9 ms each: a fifth.
    coordination.onWindow(web, window(40, 500, 100_000_000, 0));
    coordination.onWindow(source, window(30, 1000, 9_000_000, 5_000_000));

    assertThat(connections.range().clamp(40)).isEqualTo(10); // 1.1 * 40 / 5 + 1, rounded up.
    assertThat(connections.range().clamp(3)).isEqualTo(3);
  }

  @Test
  void fewRequestsSayNothing() {
    TunedPool connections = pools.add(pools.settings("db"), Kind.CONNECTIONS, 40, null, 10);
    Coordination coordination = new Coordination(connections);

    coordination.onWindow(web, window(40, 10, 100_000_000, 0));
    coordination.onWindow(source, window(30, 10, 1_000_000, 0));

    assertThat(connections.range().clamp(40)).isEqualTo(40);
  }

  @Test
  void connectionsThatOthersUseRaiseTheCeiling() {
    TunedPool connections = pools.add(pools.settings("db"), Kind.CONNECTIONS, 40, null, 10);
    Coordination coordination = new Coordination(connections);

    // Waits longer than the requests: the connections are not used by requests alone.
    coordination.onWindow(web, window(40, 100, 1_000_000, 0));
    coordination.onWindow(source, window(30, 1000, 1_000_000, 5_000_000));

    assertThat(connections.range().clamp(40)).isEqualTo(40);
  }

  @Test
  void decisionsStayWithinARangeThatChanges() {
    Range range = new Range(new Bounds(2, 20), 50);
    assertThat(range.widest()).isEqualTo(new Bounds(2, 50));
    range.choose(new Bounds(2, 5));
    var controller = range.controller(Objective.throughput());

    Decision decision = controller.decide(window(50, 100, 1_000_000, 0));

    assertThat(decision.size()).isEqualTo(2); // Nothing is busy.
    assertThat(decision.reason()).contains("the limit is 2");
  }
}
