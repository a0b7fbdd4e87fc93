package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * The two tables of Tennage 2020, chapter 8. Each printed figure is that of one run, so it must lie
 * in the interval in which a single run of ours lies with 99.9 % (prediction interval from
 * replications). The exact means, which the print has not, must lie in the interval of our mean.
 *
 * <p>How the print was made: all users send at time 0, and what ends until then counts. Latencies
 * are those of a run to 1000 s. The throughputs of the first table are those of a run to 100 s. The
 * second table has ten times the service time, 250 ms, and the completions of its run to 1000 s
 * were divided by 100. In it the first of several servers has half of the four workers, and passes
 * a request on instead of holding a worker while the next one serves. That the second of three has
 * half of them as well is our reading: with four it would cost nothing, and the print has 1 % less
 * throughput for two calls than for one.
 */
final class PublishedTest {

  private static final int RUNS = 12;
  private static final double SINGLE_RUN = 0.999;

  private static Model tandem(int users, double service, int... workers) {
    Tier.Builder tier = Tier.named("servers");
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < workers.length; i++) {
      tier.station("server " + i, Station.cpu(workers[i]).firstComeFirstServed());
      steps.add(Step.use("server " + i, exponential(service)));
    }
    return Model.of(tier.serve(Tier.ANY, steps).build(), Clients.closed(users));
  }

  private static Replications runs(Model model, double seconds) {
    return Replications.of(RUNS, seed -> Simulation.of(model).seed(seed).run(seconds));
  }

  private static void assertPlausible(
      String what, Replications runs, ToDoubleFunction<Result> figure, double printed) {
    Estimate mean = runs.mean(figure);
    double single = mean.halfWidth(SINGLE_RUN) * Math.sqrt(RUNS + 1);
    assertThat(single).as("width of the interval of " + what).isLessThan(0.2 * printed);
    assertThat(printed).as(what).isCloseTo(mean.value(), offset(single));
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/published/des_closed_published.csv", useHeadersInDisplayName = true)
  void closed(int users, int cores, double mean, double p99, double throughput) {
    Model model = tandem(users, 0.025, cores);
    Replications runs = runs(model, 1_000);
    assertPlausible("mean", runs, PublishedTest::mean, mean);
    assertPlausible("p99", runs, PublishedTest::p99, p99);
    assertPlausible("throughput", runs(model, 100), PublishedTest::throughput, throughput);
    Estimate exact =
        Replications.of(RUNS, seed -> Simulation.of(model).seed(seed).warmup(100).run(1_000))
            .mean(PublishedTest::mean);
    assertThat(exact.contains(users * 25.0 / cores, 0.99)).as("exact mean in " + exact).isTrue();
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/published/des_chained_published.csv", useHeadersInDisplayName = true)
  void chained(int users, int calls, double mean, double throughput, double p99) {
    int[] workers = {2, 2, 4};
    int[] used = Arrays.copyOfRange(workers, 2 - calls, 3);
    Replications runs = runs(tandem(users, 0.250, used), 1_000);
    assertPlausible("mean", runs, PublishedTest::mean, mean);
    assertPlausible("p99", runs, PublishedTest::p99, p99);
    assertPlausible("throughput", runs, run -> 10 * throughput(run), throughput);
  }

  private static double mean(Result run) {
    return 1e3 * run.request().responseTime().mean().value();
  }

  private static double p99(Result run) {
    return 1e3 * run.request().responseTime().p99().value();
  }

  private static double throughput(Result run) {
    return run.request().throughput().value();
  }
}
