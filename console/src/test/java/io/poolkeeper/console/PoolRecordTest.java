package io.poolkeeper.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.record.RecordArchive;
import io.poolkeeper.spi.TaskMeter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PoolRecordTest {

  private final WatchedPools pools = new WatchedPools();

  @AfterEach
  void close() {
    pools.all().forEach(pool -> pool.loop().close());
  }

  private static WatchedPool pool(String name, Controller controller) {
    Resizable host = Resizable.of(name, new Bounds(1, 8), () -> 4, size -> {});
    ControlLoop loop =
        ControlLoop.tune(host, new TaskMeter(Objective.throughput(), () -> 4, () -> 0))
            .controller(controller)
            .jmx(false)
            .timer((loopName, interval, tick) -> () -> {})
            .start();
    return new WatchedPool(host, loop);
  }

  private static RecordArchive archive(WatchedPool pool) {
    return pool.record().archive(pool.pool(), pool.loop());
  }

  private static Window window(int number) {
    return Window.builder(number, number + 1, 4).completions(1).build();
  }

  private static void measure(WatchedPool pool, int windows) {
    for (int i = 0; i < windows; i++) {
      pool.record().add(window(i));
      pool.record()
          .add(
              new Step(
                  window(i),
                  "c",
                  Decision.keep(window(i), "enough"),
                  Mode.ACTIVE,
                  Action.KEPT,
                  4,
                  4,
                  "enough"));
    }
  }

  @Test
  void keepsTheLastWindowsWithTheirDecisionsAndSaysThatEarlierOnesAreMissing() {
    WatchedPool pool = pool("web", Controllers.throughput());
    pools.add(pool);
    measure(pool, PoolRecord.LARGEST);
    assertThat(archive(pool).run()).containsEntry("partial", false);

    pool.record().add(window(PoolRecord.LARGEST));

    RecordArchive record = archive(pool);
    assertThat(record.run()).containsEntry("partial", true);
    assertThat(record.windows()).hasSize(PoolRecord.LARGEST);
    assertThat(record.windows().get(0).window()).isEqualTo(window(1));
    assertThat(record.decisions()).extracting(PoolDecision::at).startsWith(2L).doesNotContain(1L);
  }

  @Test
  void manyPoolsKeepFewerWindowsEach() {
    WatchedPool first = pool("0", Controllers.throughput());
    pools.add(first);
    measure(first, PoolRecord.LARGEST);
    for (int i = 1; i < 20; i++) {
      pools.add(pool(String.valueOf(i), Controllers.throughput()));
    }
    assertThat(archive(first).windows()).hasSize(PoolRecord.LARGEST_OF_ALL / 20);
  }

  @Test
  void changedBoundsAreNotInTheRecordWhichSaysSo() {
    WatchedPool pool = pool("web", Controllers.throughput());
    pools.add(pool);
    assertThat(archive(pool).run()).containsEntry("partial", false);
    pool.bounds(2, 6);
    assertThat(archive(pool).run()).containsEntry("partial", true);
  }

  @Test
  void aControllerOfTheProgramsOwnHasNoSettingsForAReplay() {
    WatchedPool pool = pool("web", window -> Decision.keep(window, "mine"));
    pools.add(pool);
    assertThat(archive(pool).run())
        .doesNotContainKey("pools")
        .containsEntry("warnings", List.of())
        .containsEntry("id", "web")
        .containsEntry("kind", "export");
  }
}
