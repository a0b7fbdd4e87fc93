package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.constant;
import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.clients.Distribution.uniform;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Controllers;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.simulator.model.Balancer;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Policies that decide at events, on simulated pools. */
final class PolicyTest {

  /** Writes down what it is told, and always wants one more than there is after an end. */
  private static final class Diary implements EventPolicy {
    final List<String> entries = new ArrayList<>();

    @Override
    public String name() {
      return "diary";
    }

    @Override
    public int initialSize() {
      return 2;
    }

    @Override
    public long interval() {
      return 1_000_000_000;
    }

    @Override
    public int arrived(PoolState pool) {
      return note("arrived", pool, pool.size());
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      return note(outcome + " " + wait / 1e9 + " " + service / 1e9, pool, pool.size() + 1);
    }

    @Override
    public int elapsed(PoolState pool) {
      return note("elapsed " + Math.round(100 * pool.cpu()) + " %", pool, pool.size());
    }

    @Override
    public String reason() {
      return "";
    }

    private int note(String what, PoolState pool, int answer) {
      entries.add(
          "%s at %s: %d, %d busy, %d queued, %d begun"
              .formatted(
                  what, pool.now() / 1e9, pool.size(), pool.busy(), pool.queued(), pool.begun()));
      return answer;
    }
  }

  /** Five tasks of a second, half a second apart, on two cores, with room for one that waits. */
  @Test
  void hearsOfEveryEventWithTheStateAfterIt() {
    Diary diary = new Diary();
    Tier tier =
        Tier.named("web")
            .workers(Pool.of(1).between(1, 3).queue(1))
            .cpu(Station.cpu(2).firstComeFirstServed())
            .serve(Step.cpu(constant(1.25)))
            .build();
    Clients clients = Clients.open(List.of(new Phase(2, 2))).arriving(new Pattern.Constant());
    Simulation.of(Model.of(tier, clients)).policy("web", () -> diary).run(2.6);
    assertThat(diary.entries)
        .containsExactly(
            "arrived at 0.0: 2, 1 busy, 0 queued, 1 begun",
            "arrived at 0.5: 2, 2 busy, 0 queued, 2 begun",
            "elapsed 75 % at 1.0: 2, 2 busy, 0 queued, 2 begun",
            "arrived at 1.0: 2, 2 busy, 1 queued, 2 begun",
            "COMPLETED 0.0 1.25 at 1.25: 2, 2 busy, 0 queued, 3 begun",
            "arrived at 1.5: 3, 3 busy, 0 queued, 4 begun",
            "COMPLETED 0.0 1.25 at 1.75: 3, 2 busy, 0 queued, 4 begun",
            "elapsed 100 % at 2.0: 3, 2 busy, 0 queued, 4 begun",
            "COMPLETED 0.25 1.25 at 2.5: 3, 1 busy, 0 queued, 4 begun");
  }

  @Test
  void refusedTaskArrivesAndEndsAsDropped() {
    Diary diary = new Diary();
    Tier tier =
        Tier.named("web")
            .workers(Pool.of(2).between(2, 2).queue(0))
            .serve(Step.sleep(constant(10)))
            .build();
    Clients clients = Clients.open(List.of(new Phase(1, 3))).arriving(new Pattern.Constant());
    Simulation.of(Model.of(tier, clients)).policy("web", () -> diary).run(0.9);
    assertThat(diary.entries).hasSize(4);
    assertThat(diary.entries.get(3)).startsWith("DROPPED 0.0 0.0");
  }

  /**
   * FBOS on the jobs of its paper: 500 that take 0.5 to 1.5 s, 18 a second, 24 from second 9, 30
   * from second 17. Printed sizes 2, then 18, 24 and 30; 358 jobs done at second 19.
   */
  @Test
  void fbosFollowsTheArrivals() {
    Tier tier = Tier.named("pool").workers(Pool.of(2)).serve(Step.sleep(uniform(0.5, 1.5))).build();
    Clients clients =
        Clients.open(List.of(new Phase(9, 18), new Phase(8, 24), new Phase(3, 30)))
            .arriving(new Pattern.Constant());
    List<Window> windows = new ArrayList<>();
    Simulation.of(Model.of(tier, clients))
        .policy("pool", () -> Policies.named("fbos", Map.of()))
        .observe(
            "pool",
            loop ->
                loop.window(ofSeconds(1))
                    .listener(
                        new ControlListener() {
                          @Override
                          public void onWindow(Resizable pool, Window window) {
                            windows.add(window);
                          }
                        }))
        .run(19);
    assertThat(windows.get(0).size()).isEqualTo(2);
    assertThat(windows.get(4).size()).isBetween(18, 19);
    assertThat(windows.get(8).size()).isBetween(18, 19);
    assertThat(windows.get(12).size()).isEqualTo(24);
    assertThat(windows.get(18).size()).isEqualTo(30);
    assertThat(windows.stream().mapToLong(Window::completions).sum()).isBetween(340L, 376L);
  }

  @Test
  void poolWithControllerAndPolicyIsRefused() {
    Tier tier = Tier.named("web").workers(Pool.of(1)).serve(Step.sleep(constant(1))).build();
    Simulation simulation =
        Simulation.of(Model.of(tier, Clients.open(1)))
            .policy("web", Diary::new)
            .control("web", loop -> loop.controller(Controllers.fixed(2)));
    assertThatThrownBy(() -> simulation.run(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pool 'web' must have a controller or a policy, but has both");
  }

  @Test
  void everyReplicaHasAPolicyOfItsOwn() {
    List<Diary> diaries = new ArrayList<>();
    Tier tier =
        Tier.named("web")
            .replicas(3, Balancer.ROUND_ROBIN)
            .workers(Pool.of(1))
            .serve(Step.sleep(exponential(0.01)))
            .build();
    Simulation.of(Model.of(tier, Clients.open(30)))
        .policy(
            "web",
            () -> {
              diaries.add(new Diary());
              return diaries.get(diaries.size() - 1);
            })
        .run(10);
    assertThat(diaries).hasSize(3);
    assertThat(diaries).allSatisfy(diary -> assertThat(diary.entries).isNotEmpty());
  }
}
