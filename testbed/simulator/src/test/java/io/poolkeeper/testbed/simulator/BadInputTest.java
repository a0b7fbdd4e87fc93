package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.constant;
import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.clients.Distribution.lognormal;
import static io.poolkeeper.testbed.clients.Distribution.uniform;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.simulator.model.CpuQuota;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.RateCurve;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that wrong input is told at once, with the setting, the rule and the value. */
final class BadInputTest {

  private static final Clients.Closed ONE = Clients.closed(1);

  /** Comes to its end although nothing but the way back follows b. */
  private static final Requests BACK =
      Requests.chain(
          "a", Map.of("a", Map.of("b", 0.5, Requests.END, 0.5), "b", Map.of(Requests.BACK, 1.0)));

  private static Tier tier(String name, Step... steps) {
    return Tier.named(name).serve(steps).build();
  }

  private static Model model(Clients clients, Tier... tiers) {
    Model.Builder model = Model.builder().clients(clients);
    for (Tier tier : tiers) {
      model.tier(tier);
    }
    return model.build();
  }

  private static Arguments bad(String message, Executable what) {
    return arguments(message, what);
  }

  static Stream<Arguments> settings() {
    Tier web = tier("web", Step.sleep(constant(1)));
    Station.Curve curve = Station.curve(k -> k);
    return Stream.of(
        bad("mean of an exponential distribution must be > 0", () -> exponential(-1)),
        bad("mean of an exponential distribution must be > 0", () -> exponential(Double.NaN)),
        bad("value of a constant distribution must be >= 0", () -> constant(-0.1)),
        bad("scv of a lognormal distribution must be > 0", () -> lognormal(1, 0)),
        bad("maximum of a uniform distribution must be >= its minimum", () -> uniform(2, 1)),
        bad("size must be within 1..4, but is 5", () -> Pool.of(2).between(1, 4).resized(5)),
        bad("queueCapacity must be >= 0, but is -1", () -> Pool.of(2).queue(-1)),
        bad("cores must be >= 1, but is 0", () -> Station.cpu(0)),
        bad("overhead must be >= 0", () -> Station.cpu(1).overhead(-1)),
        bad("cores of a quota must be > 0 and finite, but is 0", () -> CpuQuota.of(0, 0.1)),
        bad("burst of a quota must be >= 0", () -> CpuQuota.of(1, 0.1).burst(-1)),
        bad("period of a quota must be >= 0.001 s and finite", () -> CpuQuota.of(0.3, 0.0009)),
        bad(
            "offset of a quota must be >= 0 and below its period of 0.1 s, but is 0.1",
            () -> CpuQuota.of(0.3, 0.1).offset(0.1)),
        bad("rates must be in the order of time", () -> curve.then(9, k -> k).then(9, k -> k)),
        bad("cpuPerTask must be given from the start", () -> curve.then(9, k -> k, 0.1)),
        bad("correlation of a wandering speed must be < 1", () -> new Noise.Wander(0.1, 1, 1)),
        bad("speeds to replay must be one or more", () -> new Noise.Replay(List.of(), 1)),
        bad("speed to replay must be >= 0", () -> new Noise.Replay(List.of(1.0, -0.1), 1)),
        bad("interval of speeds to replay must be > 0", () -> new Noise.Replay(List.of(1.0), 0)),
        bad("speed that remains during a drop must be within 0..1", () -> drops(1.5)),
        bad("mean time between drops must be > 0", () -> drops(0.3, 0)),
        bad("times must be within 0..1000, but is -2", () -> Step.call("db").times(-2)),
        bad("probabilities of a choice must sum to 1, but sum to 0.9", BadInputTest::badChoice),
        bad(
            "probabilities of the mix of requests must sum to 1, but sum to 1.1",
            () -> Requests.mix(Map.of("a", 0.5, "b", 0.6))),
        bad(
            "probabilities of the requests after 'a' must sum to 1, but sum to 0.5",
            () -> Requests.chain("a", Map.of("a", Map.of("a", 0.5)))),
        bad(
            "chain of requests must say what follows 'b'",
            () -> Requests.chain("a", Map.of("a", Map.of("b", 1.0)))),
        bad("chain of requests never comes to 'end' once it is at 'b'", BadInputTest::endless),
        bad(
            "chain of requests must not name a request 'back', which stands for the one before",
            () -> Requests.chain("a", Map.of("a", Map.of("end", 1.0), "back", Map.of("a", 1.0)))),
        bad(
            "chain of requests must say what follows 'a' where a session begins",
            () -> Requests.chain("a", Map.of("a", Map.of("back", 1.0)))),
        bad("chain of requests never comes to 'end' once it is at 'b'", BadInputTest::endlessBack),
        bad(
            "chain of clients 'arrivals' must not go 'back': sessions that arrive have no history",
            () -> model(Clients.open(1).sending(BACK), tier("a"))),
        bad("seconds of a phase must be > 0, but is 0", () -> new Phase(0, 1)),
        bad("level of a phase must be >= 0 and finite, but is -3", () -> Clients.open(-3)),
        bad("users must be a whole number", () -> Clients.closed(List.of(new Phase(1, 1.5)))),
        bad("users must be a whole number", () -> Clients.closed(List.of(new Phase(1, 1, 1.5)))),
        bad("seconds of a ramp must be > 0 and finite, but is Inf", () -> new Phase(1 / 0.0, 1, 2)),
        bad("level of a phase must be >= 0 and finite, but is -1", () -> new Phase(1, 1, -1)),
        bad("phases must not be empty", () -> Clients.open(List.of())),
        bad("staying must be < 1, but is 1", () -> Clients.open(1).staying(1)),
        bad("mean size of a batch must be >= 1", () -> new Pattern.Batches(0.5)),
        bad("at most (burst + quiet) / burst = 4.0", () -> new Pattern.Bursty(5, 1, 3)),
        bad("points of a rate curve must not be empty", () -> RateCurve.through(Map.of())),
        bad("a model must have a tier", () -> model(ONE)),
        bad("a model must have clients", () -> Model.builder().tier(web).build()),
        bad("tier 'x' must serve something", () -> Tier.named("x").build()),
        bad(
            "tier 'x' must have workers where they linger after the answer",
            () -> Tier.named("x").linger(constant(1)).serve(Step.sleep(constant(1))).build()),
        bad("names of tier must differ, but 'web' occurs twice", () -> model(ONE, web, web)),
        bad("did you mean 'web'", () -> model(ONE.at("wed"), web)),
        bad(
            "unknown tier called by 'a' 'wbe'; did you mean 'web'?",
            () -> model(ONE, tier("a", Step.call("wbe")), web)),
        bad("unknown station 'cpu' of tier 'a': it has none", BadInputTest::noStation),
        bad("unknown pool 'lock' of tier 'a': it has none", BadInputTest::noPool),
        bad("pool 'lock' of tier 'a' must not be held twice", BadInputTest::heldTwice),
        bad("a -> b -> c -> a", BadInputTest::cycle),
        bad("tier 'web' must serve 'write', but serves only [read]", BadInputTest::notServed),
        bad("warmup must be >= 0", () -> Simulation.of(model(ONE, web)).warmup(-1)),
        bad("batches must be within 2..1000", () -> Simulation.of(model(ONE, web)).batches(1)),
        bad("digits must be within 1..5", () -> Simulation.of(model(ONE, web)).digits(6)),
        bad("seconds must be > 0 and finite", () -> Simulation.of(model(ONE, web)).run(0)),
        bad("replications must be >= 1", () -> Replications.of(0, seed -> null)),
        bad(
            "users of 'users' must be <= ",
            () -> Simulation.of(model(Clients.closed(2_000_000_000), web)).run(1)),
        bad("rate of station 'web.cpu' must be >= 0", () -> run(Station.curve(k -> -k))));
  }

  private static Noise drops(double remaining) {
    return new Noise.Drops(remaining, constant(1), constant(1));
  }

  private static Noise drops(double remaining, double between) {
    return new Noise.Drops(remaining, constant(between), constant(1));
  }

  private static void badChoice() {
    Step.choose(Step.with(0.4), Step.with(0.5));
  }

  private static void endless() {
    Map<String, Double> leads = Map.of("b", 0.1, Requests.END, 0.9);
    Map<String, Double> stays = Map.of("b", 1.0, Requests.END, 0.0);
    Clients.open(1).sending(Requests.chain("a", Map.of("a", leads, "b", stays)));
  }

  /** One comes to b from a alone, and from c to b alone. */
  private static void endlessBack() {
    Map<String, Double> leads = Map.of("b", 0.1, Requests.END, 0.9);
    Map<String, Map<String, Double>> next =
        Map.of("a", leads, "b", Map.of("c", 1.0), "c", Map.of(Requests.BACK, 1.0));
    Clients.open(1).sending(Requests.chain("a", next));
  }

  private static void noStation() {
    model(ONE, tier("a", Step.cpu(constant(1))));
  }

  private static void noPool() {
    model(ONE, tier("a", Step.holding("lock")));
  }

  private static void heldTwice() {
    Step twice = Step.holding("lock", Step.holding("lock"));
    model(ONE, Tier.named("a").pool("lock", Pool.of(2)).serve(twice).build());
  }

  private static void cycle() {
    model(
        ONE,
        tier("a", Step.call("b")),
        tier("b", Step.choose(Step.with(0.5, Step.call("c")), Step.with(0.5))),
        tier("c", Step.call("a").times(0.1)));
  }

  private static void notServed() {
    Tier reader = Tier.named("web").serve("read", List.of(Step.sleep(constant(1)))).build();
    model(ONE.sending(Requests.mix(Map.of("read", 0.5, "write", 0.5))), reader);
  }

  private static void run(Station station) {
    Tier tier = Tier.named("web").cpu(station).serve(Step.cpu(constant(1))).build();
    Simulation.of(model(ONE, tier)).run(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("settings")
  void isRefused(String message, Executable what) {
    assertThatThrownBy(what::execute)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message)
        .satisfies(BadInputTest::assertOneLine);
  }

  private static void assertOneLine(Throwable thrown) {
    assertThat(thrown.getMessage()).doesNotContain("\n");
  }

  @Test
  void timeThatStandsStillIsNoticed() {
    Model model = model(ONE, tier("web", Step.sleep(constant(0))));
    assertThatThrownBy(() -> Simulation.of(model).run(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("time stands still at 0.0 s");
  }
}
