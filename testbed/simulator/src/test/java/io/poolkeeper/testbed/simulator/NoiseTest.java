package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.constant;
import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.simulator.Golden.assertEstimates;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.Window;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.RateCurve;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Stations whose speed is not constant. */
final class NoiseTest {

  private static Tier tier(Station station) {
    return Tier.named("web").workers(Pool.of(8)).cpu(station).serve(Step.cpu(constant(1))).build();
  }

  private static List<Window> windows(Station station, int seconds) {
    Windows windows = new Windows();
    Simulation.of(Model.of(tier(station), Clients.closed(16)))
        .observe("web", loop -> loop.window(ofSeconds(1)).listener(windows))
        .run(seconds);
    return windows.all.subList(0, seconds);
  }

  /** Many small tasks a second make the throughput of a window the speed in it. */
  @Test
  void speedWanders() {
    Station station = Station.curve(k -> 1_000).with(new Noise.Wander(0.08, 0.6, 1));
    double[] rates = windows(station, 3_000).stream().mapToDouble(Window::throughput).toArray();
    double mean = 0;
    for (double rate : rates) {
      mean += rate / rates.length;
    }
    double variance = 0;
    double covariance = 0;
    for (int i = 1; i < rates.length; i++) {
      variance += Math.pow(rates[i] - mean, 2) / rates.length;
      covariance += (rates[i] - mean) * (rates[i - 1] - mean) / rates.length;
    }
    assertThat(mean / 1_000).isCloseTo(1, offset(0.01));
    assertThat(Math.sqrt(variance) / mean).isCloseTo(0.08, offset(0.005));
    assertThat(covariance / variance).isCloseTo(0.6, offset(0.05));
  }

  @Test
  void speedDrops() {
    Noise drops = new Noise.Drops(0.3, constant(9), constant(1));
    List<Window> windows = windows(Station.curve(k -> 1_000).with(drops), 40);
    assertThat(windows.get(8).throughput()).isCloseTo(1_000, offset(10.0));
    assertThat(windows.get(9).throughput()).isCloseTo(300, offset(10.0));
    assertThat(windows.get(10).throughput()).isCloseTo(1_000, offset(10.0));
    assertThat(windows.get(19).throughput()).isCloseTo(300, offset(10.0));
  }

  @Test
  void recordedSpeedsAreReplayedAgainAndAgain() {
    Noise recorded = new Noise.Replay(List.of(0.5, 1.5, 1.0), 2);
    List<Window> windows = windows(Station.curve(k -> 1_000).with(recorded), 20);
    assertThat(windows.get(1).throughput()).isCloseTo(500, offset(10.0));
    assertThat(windows.get(3).throughput()).isCloseTo(1_500, offset(10.0));
    assertThat(windows.get(5).throughput()).isCloseTo(1_000, offset(10.0));
    assertThat(windows.get(7).throughput()).isCloseTo(500, offset(10.0));
    assertThat(windows.get(15).throughput()).isCloseTo(1_500, offset(10.0));
  }

  /** In a straight line on a logarithmic scale: half way up it is the root of the first speed. */
  @Test
  void speedRisesWhileTheStationWarmsUp() {
    List<Window> windows = windows(Station.curve(k -> 1_000).with(new Noise.WarmUp(0.25, 20)), 30);
    assertThat(windows.get(0).throughput()).isCloseTo(257, offset(10.0));
    assertThat(windows.get(9).throughput()).isCloseTo(480, offset(10.0));
    assertThat(windows.get(25).throughput()).isCloseTo(1_000, offset(10.0));
  }

  /** A pause of 0.2 s, a second after the last: the workers use no CPU, the collector all of it. */
  @Test
  void collectionsStopTheWork() {
    Station station = Station.cpu(4).with(new Noise.GcPauses(constant(0.8), constant(0.2), 0));
    Windows seen = new Windows();
    Tier tier =
        Tier.named("web")
            .workers(Pool.of(8))
            .cpu(station)
            .serve(Step.cpu(exponential(0.004)))
            .build();
    Result result =
        Simulation.of(Model.of(tier, Clients.closed(16)))
            .observe("web", loop -> loop.window(ofSeconds(1)).listener(seen))
            .run(1_000);
    assertEstimates("throughput", result.request().throughput(), 0.8 * 1_000, 0.003);
    Window window = seen.all.get(500);
    assertThat(window.gc()).isEqualTo(200_000_000);
    assertThat(window.workerCpu() / 1e9).isCloseTo(0.8 * 4, offset(1e-6));
    assertThat(window.processCpu() / 1e9).isCloseTo(4, offset(1e-6));
  }

  /** Eight busy workers, each lengthening a pause by 5 %. */
  @Test
  void busyWorkersLengthenCollections() {
    Station station = Station.cpu(4).with(new Noise.GcPauses(constant(1), constant(0.2), 0.05));
    assertThat(windows(station, 5).stream().mapToLong(Window::gc).sum())
        .isEqualTo(4 * 280_000_000L);
  }

  @Test
  void noisesMultiply() {
    Station station =
        Station.curve(k -> 1_000)
            .with(new Noise.Drops(0.5, constant(1), constant(1)))
            .with(new Noise.Drops(0.5, constant(1), constant(1)));
    assertThat(windows(station, 4).get(1).throughput()).isCloseTo(250, offset(10.0));
  }

  @Test
  void ratesAndCpuTimesChange() {
    Station station =
        Station.curve(k -> 1_000)
            .cpuPerTask(0.001)
            .then(10, k -> 100 * k, 0.002)
            .then(20, k -> 2_000);
    List<Window> windows = windows(station, 30);
    assertThat(windows.get(5).throughput()).isCloseTo(1_000, offset(10.0));
    assertThat(windows.get(15).throughput()).isCloseTo(800, offset(10.0));
    assertThat(windows.get(25).throughput()).isCloseTo(2_000, offset(10.0));
    assertThat(windows.get(5).workerCpu()).isEqualTo(1_000_000_000);
    assertThat(windows.get(15).workerCpu()).isEqualTo(1_600_000_000);
    assertThat(windows.get(25).workerCpu()).isEqualTo(4_000_000_000L);
  }

  @Test
  void cpuTimeThatIsNotKnownIsNotMeasured() {
    Window window = windows(Station.curve(k -> 1_000), 1).get(0);
    assertThat(window.workerCpu()).isEqualTo(Window.NOT_MEASURED);
    assertThat(window.processCpu()).isEqualTo(Window.NOT_MEASURED);
  }

  /** A pool on a recorded disk does as many jobs a second as it did with so many threads. */
  @Test
  void recordedDisk() throws IOException {
    Map<Integer, Double> seconds = new TreeMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    NoiseTest.class.getResourceAsStream("/recorded/rw_2mb_oneshot.csv")),
                StandardCharsets.UTF_8))) {
      lines
          .lines()
          .skip(1)
          .map(line -> line.split(",", -1))
          .forEach(line -> seconds.put(Integer.valueOf(line[3]), Double.valueOf(line[4])));
    }
    for (int threads : new int[] {1, 8, 48}) {
      Tier tier =
          Tier.named("pool")
              .workers(Pool.of(threads))
              .station("disk", Station.curve(RateCurve.recorded(10_000, seconds)))
              .serve(Step.use("disk", exponential(1)))
              .build();
      Result result = Simulation.of(Model.of(tier, Clients.closed(100))).warmup(10).run(3_000);
      double rate = 10_000 / Objects.requireNonNull(seconds.get(threads));
      assertEstimates("jobs a second", result.request().throughput(), rate, 0.005);
    }
  }

  @Test
  void rateCurves() {
    var points = RateCurve.through(Map.of(2, 10.0, 6, 30.0, 8, 20.0));
    assertThat(points.applyAsDouble(1)).isEqualTo(5);
    assertThat(points.applyAsDouble(2)).isEqualTo(10);
    assertThat(points.applyAsDouble(4)).isEqualTo(20);
    assertThat(points.applyAsDouble(7)).isEqualTo(25);
    assertThat(points.applyAsDouble(100)).isEqualTo(20);
    // The peak that the law's parameters of the SPEC SDM91 benchmark have.
    var usl = RateCurve.usl(89.9952, 0.0277285, 1.04365e-4);
    assertThat(usl.applyAsDouble(97)).isCloseTo(1883.9, offset(0.1));
  }
}
