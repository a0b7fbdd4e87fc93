package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Controllers of a board's pools: at rest until somebody asks for them. */
final class PoolTuningTest extends BoardTest {

  @Test
  void decidesOnceTheModeIsActive() throws Exception {
    List<ControlLoop> loops =
        List.of(board.board.threads().control(), board.board.database().connections().control());
    assertThat(loops).extracting(ControlLoop::mode).containsOnly(Mode.FROZEN);
    assertThat(loops)
        .extracting(ControlLoop::controller)
        .containsExactly("coordinated-threads", "coordinated-connections");
    assertThat(board.admin("POST", "/mode?mode=active").statusCode()).isEqualTo(200);
    assertThat(loops).extracting(ControlLoop::mode).containsOnly(Mode.ACTIVE);
    assertThat(board.admin("POST", "/mode?mode=frozen").body()).contains("frozen");
    assertThat(loops).extracting(ControlLoop::mode).containsOnly(Mode.FROZEN);
  }

  @Test
  void everyTuningHasAControllerForEachPool() {
    Objective objective = Objective.goodput(Duration.ofMillis(500));
    for (String name : PoolTuning.NAMES) {
      PoolTuning tuning = PoolTuning.named(name, objective);
      assertThat(tuning.objective()).isEqualTo(objective);
      assertThat(tuning.threads()).isNotSameAs(tuning.connections());
    }
  }

  @Test
  void connectionsOfScgHaveTheDeadlineOfTheRequests() {
    Objective objective = Objective.goodput(Duration.ofMillis(500));
    for (String name : PoolTuning.NAMES) {
      assertThat(PoolTuning.named(name, objective).connectionObjective())
          .as(name)
          .isEqualTo(name.equals("scg") ? objective : Objective.throughput());
    }
  }

  @ParameterizedTest
  @CsvSource({"scg,sora-scg", "sct,conscale-sct", "dcm,dcm", "independent,response-curve"})
  void aTuningHasTheControllersOfItsName(String name, String controller) {
    PoolTuning tuning = PoolTuning.named(name, Objective.goodput(Duration.ofMillis(500)));
    assertThat(tuning.threads().name()).isEqualTo(controller);
    assertThat(tuning.connections().name()).isEqualTo(controller);
  }
}
