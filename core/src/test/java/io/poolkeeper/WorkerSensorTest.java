package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.DiskStats.BlockedSource;
import io.poolkeeper.spi.WorkerSensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class WorkerSensorTest {

  /** Counts workers that began and ended, and pretends that each window moved a megabyte. */
  private static final class CountingSensor implements WorkerSensor {
    final AtomicInteger begun = new AtomicInteger();
    final AtomicInteger ended = new AtomicInteger();

    @Override
    public Objective objective() {
      return Objective.diskThroughput();
    }

    @Override
    public Runnable watch(Runnable worker) {
      return () -> {
        begun.incrementAndGet();
        worker.run();
        ended.incrementAndGet();
      };
    }

    @Override
    public Window complete(Window window) {
      DiskStats disk =
          new DiskStats(
              1_000_000, 0, 0, 1, 0, BlockedSource.STATE_SAMPLES, begun.get(), Optional.empty());
      return window.toBuilder().disk(disk).build();
    }
  }

  @Test
  void sensorWatchesEveryWorkerAndCompletesEveryWindow() throws Exception {
    List<CountingSensor> sensors = new ArrayList<>();
    AdaptiveExecutor.Builder builder =
        AdaptiveExecutor.builder("files")
            .jmx(false)
            .bounds(2, 2)
            .sensor(
                () -> {
                  sensors.add(new CountingSensor());
                  return sensors.get(sensors.size() - 1);
                });
    AdaptiveExecutor pool = builder.build();
    pool.submit(() -> {}).get();
    pool.submit(() -> {}).get();
    pool.close();
    Await.until("the last window is there", () -> pool.control().lastWindow().isPresent());
    assertThat(pool.control().lastWindow().orElseThrow().disk().logicalBytes())
        .isEqualTo(1_000_000);
    CountingSensor sensor = sensors.get(0);
    assertThat(sensor.begun).hasValueBetween(1, 2);
    Await.until("the workers have left", () -> sensor.ended.get() == sensor.begun.get());
    builder.build().close();
    assertThat(sensors).as("each pool has a sensor of its own").hasSize(2);
  }

  @Test
  void objectiveOfTheSensorIsTheDefaultAndDecidesByItsWindows() {
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("files").jmx(false).sensor(CountingSensor::new).build()) {
      assertThat(pool.control().controller()).isEqualTo("response-curve");
    }
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("files")
            .jmx(false)
            .objective(Objective.throughput())
            .sensor(CountingSensor::new)
            .build()) {
      assertThat(pool.size()).isPositive();
    }
  }

  @Test
  void diskThroughputWithoutSensorIsRefused() {
    assertThatThrownBy(
            () -> AdaptiveExecutor.builder("files").objective(Objective.diskThroughput()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("objective disk-throughput needs a sensor that counts bytes");
    assertThatThrownBy(
            () -> AdaptiveLimiter.builder("files").objective(Objective.diskThroughput()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs a pool of threads");
  }

  @Test
  void machineThatCannotMeasureIsNamedWhenThePoolIsBuilt() {
    assertThatThrownBy(
            () ->
                AdaptiveExecutor.builder("files")
                    .sensor(
                        () -> {
                          throw new IllegalStateException("/proc is not mounted");
                        })
                    .build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("/proc is not mounted");
  }
}
