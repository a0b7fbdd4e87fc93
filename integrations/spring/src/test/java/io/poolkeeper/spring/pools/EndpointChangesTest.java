package io.poolkeeper.spring.pools;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.spi.TaskMeter;
import io.poolkeeper.spring.PoolkeeperEndpoint;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.PoolkeeperProperties;
import io.poolkeeper.testkit.Conditions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Changes by the actuator of several values at once. */
final class EndpointChangesTest {

  private final Pools pools = new Pools(new PoolkeeperProperties(), false);
  private final PoolkeeperEndpoint endpoint = new PoolkeeperEndpoint(pools, new PoolMonitor());
  private final TunedPool pool =
      pools.add(pools.settings("db"), Kind.CONNECTIONS, HostMaximum.none(40), 30);

  @Test
  void whatIsRefusedChangesNothing() {
    var answer = endpoint.change("db", "frozen", 2, 20, 5);

    assertThat(answer.getBody()).isEqualTo(Map.of("error", "pool 'db' does not run"));
    assertThat(pool.bounds()).isEqualTo(new Bounds(1, 40));
    assertThat(endpoint.change("db", "frozen", 2, 41, null).getStatus()).isEqualTo(400);
    assertThat(pool.bounds()).isEqualTo(new Bounds(1, 40));
  }

  @Test
  void whatIsRefusedIsToldWithTheNearestValidValue() {
    assertThat(refusal("db", null, 2, 41, null))
        .isEqualTo("max = 41: must be 1 to 40; nearest valid value: 40");
    assertThat(refusal("db", null, 9, 4, null))
        .isEqualTo("min = 9: must be <= max = 4; nearest valid value: 4");
    assertThat(refusal("db", null, null, 4, 5))
        .isEqualTo("size = 5: must be 1 to 4; nearest valid value: 4");
    assertThat(refusal("db", "frozn", null, null, null))
        .isEqualTo("mode = frozn: must be active, dry-run or frozen; nearest valid value: frozen");
    assertThat(refusal("Db", "frozen", null, null, null))
        .isEqualTo("no pool 'Db', only [db]: did you mean 'db'?");
    // As the property takes it.
    assertThat(endpoint.change("db", "DRY_RUN", null, null, null).getStatus()).isEqualTo(200);
  }

  private @Nullable Object refusal(
      String name,
      @Nullable String mode,
      @Nullable Integer min,
      @Nullable Integer max,
      @Nullable Integer size) {
    var answer = endpoint.change(name, mode, min, max, size);
    assertThat(answer.getStatus()).isEqualTo(400);
    return Objects.requireNonNull(answer.getBody()).get("error");
  }

  @Test
  void aSizeIsSetOnceTheModeHolds() {
    AtomicInteger size = new AtomicInteger(30);
    List<Mode> modes = new CopyOnWriteArrayList<>();
    Resizable host =
        Resizable.of(
            "db",
            new Bounds(1, 40),
            size::get,
            wanted -> {
              pool.loop().ifPresent(loop -> modes.add(loop.mode()));
              size.set(wanted);
            });
    ControlLoop.Builder builder =
        ControlLoop.tune(host, new TaskMeter(Objective.throughput(), size::get, () -> 0));
    pool.configure(builder, false);
    try (ControlLoop loop = builder.window(Duration.ofMillis(5)).start()) {
      pool.loop(() -> loop);
      Conditions.await("a window", () -> pool.size().isPresent());

      assertThat(endpoint.change("db", "frozen", null, null, 7).getStatus()).isEqualTo(200);

      assertThat(size).hasValue(7);
      assertThat(modes).last().isEqualTo(Mode.FROZEN);
    }
  }
}
