package io.poolkeeper.testbed.simulator.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.model.CpuQuota;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelFileTest {

  private static final String GOOD =
      """
      question: How long?
      clients:
        kind: closed
        users: 10
        think_time: exponential 1s
        requests: {read: 0.9, write: 0.1}
      tiers:
        web:
          workers: {controller: throughput, step: 5, window: 500ms, bounds: 1..64}
          cores: 4
          pools: {connections: 5}
          work:
            - cpu: exponential 25ms
            - call: db
              through: connections
              probability: 0.5
        db:
          workers: 8
          stations: {disk: {rates: {1: 100/s, 4: 300/s}}}
          work: [{use: disk}]
          work_for:
            write: [{use: disk, amount: uniform 1..3}]
      run:
        for: 60s
        warm_up: 10s
      """;

  @TempDir private Path folder = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = folder.resolve("model.yaml");
  }

  private ModelFile read(String text) throws BadInput, IOException {
    Files.writeString(file, text);
    return ModelFile.read(file);
  }

  @Test
  void readsHowLongWorkersLingerAndTheBoundsOfGoodput() throws BadInput, IOException {
    String text =
        GOOD.replace("workers: 8", "workers: 8\n    linger: exponential 5ms")
            .replace("warm_up: 10s", "warm_up: 10s\n  bounds: [500ms, 1s]");
    ModelFile found = read(text);

    assertThat(found.model().tiers().values().stream().map(Tier::linger).toList())
        .containsExactly(Optional.empty(), Optional.of(Distribution.exponential(0.005)));
    assertThat(found.run().bounds()).containsExactly(0.5, 1.0);
    assertThat(read(GOOD).run().bounds()).isEmpty();
  }

  @Test
  void readsTiersClientsPoolsAndTheRun() throws BadInput, IOException {
    ModelFile found = read(GOOD);

    assertThat(found.name()).isEqualTo("model");
    assertThat(found.model().tiers().keySet()).containsExactly("web", "db");
    assertThat(found.governors())
        .containsOnlyKeys("web")
        .containsValue(new Governor("throughput", false, Map.of("step", "5"), 0.5));
    Tier web = found.model().tiers().values().iterator().next();
    assertThat(web.workers().orElseThrow().bounds().maximum()).isEqualTo(64);
    assertThat(web.programs().get(Tier.ANY))
        .startsWith(Step.cpu(Distribution.exponential(0.025)))
        .hasSize(2)
        .element(1)
        .isInstanceOf(Step.Choose.class);
    assertThat(found.run().counted()).isEqualTo(50);
    assertThat(found.run().runs()).isEqualTo(10);
    assertThat(found.clients().get(0).clients().requests().names())
        .containsExactlyInAnyOrder("read", "write");
  }

  @Test
  void keepsTheDocumentAsItStands() throws BadInput, IOException {
    assertThat(read(GOOD).document())
        .containsEntry("run", Map.of("for", "60s", "warm_up", "10s"))
        .extractingByKey("clients")
        .hasToString(
            "{kind=closed, users=10, think_time=exponential 1s, requests={read=0.9, write=0.1}}");
  }

  @ParameterizedTest(name = "{0} -> {1}: {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          cores: 4|coers: 4|10: tiers.web: unknown setting 'coers'; did you mean 'cores'?
          question: How long?|qestion: x|1: unknown setting 'qestion'; did you mean 'question'?
          cores: 4|cores: -1|10: tiers.web.cores must be a whole number, 1 or more, but is -1
          cores: 4|cores: 2.5|10: tiers.web.cores must be a whole number, 1 or more, but is 2.5
          kind: closed|kind: close|3: clients.kind: unknown kind of clients 'close'; did you mean 'closed'?
          users: 10|rate: 10/s|4: clients: unknown setting 'rate'
          users: 10|users: many|4: clients.users must be a whole number
          users: 10|{}|the setting 'users' is missing
          exponential 1s|exponental 1s|5: clients.think_time: unknown distribution 'exponental'; did you mean 'exponential'?
          exponential 1s|exponential -1s|5: clients.think_time must be 0 or more, but is exponential -1s
          exponential 1s|exponential 1|5: clients.think_time must be a time
          write: 0.1|write: 0.2|6: clients.requests must have probabilities that sum to 1, but they sum to 1.1
          controller: throughput|controller: troughput|9: tiers.web.workers.controller: unknown controller 'troughput'; did you mean 'throughput'?
          controller: throughput|controller: netflix-vegas|9: tiers.web.workers.controller cannot be netflix-vegas, which runs only in ./poolkeeper tunnel; its rule is vegas-style
          step: 5|stepp: 5|9: tiers.web.workers: unknown setting 'stepp'; did you mean 'step'?
          step: 5|step: 0|9: tiers.web.workers.step: step must be >= 1, but is 0
          window: 500ms|window: 500|9: tiers.web.workers.window must be a duration with its unit
          window: 500ms|window: 999us|9: tiers.web.workers.window must be 1ms or longer, but is 999us
          bounds: 1..64|bounds: 64..1|9: tiers.web.workers.bounds: maximum must be >= minimum
          bounds: 1..64|initial: 500|9: tiers.web.workers.initial must be within 1..256, but is 500
          call: db|call: dv|14: tiers.web.work[2].call: unknown tier 'dv'; did you mean 'db'?
          probability: 0.5|probability: 1.5|16: tiers.web.work[2].probability must be a probability within 0..1, but is 1.5
          through: connections|through: conections|15: tiers.web.work[2].through: unknown pool 'conections'; did you mean 'connections'?
          use: disk}]|call: web}]|20: tiers.db.work[1].call closes a cycle, in which a request could hold every worker: web -> db -> web
          use: disk}]|cpu: 1ms}]|20: tiers.db.work[1].cpu needs cores, which its tier does not have
          use: disk}]|ues: disk}]|20: tiers.db.work[1]: unknown setting 'ues'; did you mean 'use'?
          1: 100/s|1: 100|19: tiers.db.stations.disk.rates.1 must be a rate of 0 or more, such as 128/s, but is 100
          for: 60s|for: 0s|24: run.for must be longer than 0, but is 0s
          for: 60s|{}|23: run: the setting 'for' is missing
          warm_up: 10s|warm_up: 60s|25: run.warm_up must be shorter than the run, which lasts 60 s, but is 60s
          warm_up: 10s|confidence: 95|25: run.confidence must be a level of 50% to below 100%, such as 95%, but is 95
          warm_up: 10s|for: 10s|25: run.for stands here for the second time, first on line 24
          cores: 4|cores: [4|is not YAML
          workers: 8|linger: 5ms|18: tiers.db.linger needs workers, which its tier does not have
          workers: 8|linger: 5|18: tiers.db.linger needs workers
          warm_up: 10s|bounds: []|25: run.bounds must hold at least one value
          warm_up: 10s|bounds: [1s, 1000ms]|25: run.bounds[2] stands here for the second time
          warm_up: 10s|bounds: 0s|25: run.bounds must be longer than 0, but is 0s
          write: [{use|wirte: [{use|22: tiers.db.work_for: unknown request 'wirte'; did you mean 'write'? known: read, write
          stations: {disk: {rates: {1: 100/s, 4: 300/s}}}|{}|20: tiers.db.work[1].use: unknown station 'disk'; known: none
          use: disk}]|call: web, through: conns}]|20: tiers.db.work[1].through: unknown pool 'conns'; known: none
          use: disk}]|hold: lok, work: [{wait: 4ms}]}]|20: tiers.db.work[1].hold: unknown pool 'lok'; known: none
          through: connections|times: 1000000000|15: tiers.web.work[2].times must be a number above 0 and at most 1000, but is 1000000000
          cores: 4|replicas: 2000000000|10: tiers.web.replicas must be a whole number within 1..1000000000, but is 2000000000
          workers: 8|workers: 99999999999|18: tiers.db.workers must be a whole number within 1..1000000000, but is 99999999999
          for: 60s|for: 99999999999999h|24: run.for must be at most
          """)
  void whatIsWrongIsToldInOneLineWithItsPlace(String good, String bad, String message)
      throws IOException {
    assertThat(GOOD).contains(good);
    String text = GOOD.replace(good, bad.equals("{}") ? "" : bad);

    assertThatThrownBy(() -> read(text))
        .isInstanceOf(BadInput.class)
        .message()
        .startsWith(file + ":")
        .contains(message)
        .doesNotContain("\n");
  }

  @Test
  void phasesSayHowLongARunIs() throws BadInput, IOException {
    String phased =
        GOOD.replace("users: 10", "phases: [{users: 100, for: 1m}, {users: 1, for: 30s}]")
            .replace("for: 60s", "");
    assertThat(read(phased).run().seconds()).isEqualTo(90);
    assertThatThrownBy(() -> read(phased + "  batches: 10\n"))
        .hasMessageContaining("run.batches are parts of one run that are alike");
    assertThatThrownBy(() -> read(phased + "  for: 10s\n"))
        .hasMessageContaining("run.for must be left out");
  }

  @Test
  void batchesHaveALargestMeanSizeAndPhasesALargestSum() {
    String open = GOOD.replace("closed", "open").replace("think_time: exponential 1s", "");
    assertThatThrownBy(
            () -> read(open.replace("users: 10", "rate: 1/s\n  arrivals: {batches_of: 2e9}")))
        .hasMessageContaining(
            ":5: clients.arrivals.batches_of must be a mean size within 1..1000000000, but is 2e9");
    assertThatThrownBy(
            () ->
                read(
                    open.replace("users: 10", "phases: [{rate: 1/s, for: 300000h}]")
                        .replace("for: 60s", "seed: 1")))
        .hasMessageContaining("run must last at most");
  }

  private @Nullable Station cpu(String text) throws BadInput, IOException {
    Tier web = Objects.requireNonNull(read(text).model().tiers().get("web"));
    return web.stations().get(Step.CPU);
  }

  @Test
  void readsTheCpuQuotaOfATier() throws BadInput, IOException {
    String text = GOOD.replace("cores: 4", "cores: 4\n    quota: {cores: 0.3, period: 100ms}");
    CpuQuota quota = CpuQuota.of(0.3, 0.1);
    assertThat(cpu(text)).isEqualTo(Station.cpu(4).quota(quota));
    assertThat(cpu(text.replace("100ms}", "100ms, burst: 2ms, offset: 5ms}")))
        .isEqualTo(Station.cpu(4).quota(quota.burst(0.002).offset(0.005)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{cores: 0, period: 100ms} | web.quota.cores must be a number above 0, but is 0",
        "{cores: 0.3, period: 500us} | web.quota.period must be 1ms or longer, but is 500us",
        "{cores: 0.3, period: 5ms, offset: 5ms} | web.quota.offset must be shorter than the period of 5ms, but is 5ms",
        "{cores: 0.3} | web.quota: the setting 'period' is missing",
        "{period: 5ms} | web.quota: the setting 'cores' is missing",
        "{cores: 0.3, periods: 5ms} | did you mean 'period'",
      })
  void wrongQuotasAreNamed(String quota, String message) {
    assertThatThrownBy(() -> read(GOOD.replace("cores: 4", "cores: 4\n    quota: " + quota)))
        .hasMessageContaining(message);
    assertThatThrownBy(() -> read(GOOD.replace("cores: 4", "quota: " + quota)))
        .hasMessageContaining("web.quota needs cores, which this tier does not have");
  }

  @Test
  void clientsMayBeThoseOfALoadDescription() throws BadInput, IOException {
    Files.writeString(
        folder.resolve("load.yaml"),
        """
        clients: {kind: open, rate: 20/s, arrivals: constant, requests: {read: 0.9, write: 0.1}}
        http: {read: /read, write: {method: POST, path: /write}}
        for: 30s
        connections: 100
        """);
    String named = GOOD.replaceAll("(?s)clients:.*?tiers:", "clients: load.yaml\ntiers:");

    assertThat(read(named).clients().get(0).clients())
        .isEqualTo(
            Clients.open(20)
                .arriving(new Pattern.Constant())
                .sending(Requests.mix(Map.of("read", 0.9, "write", 0.1))));
    assertThatThrownBy(() -> read(named.replace("load.yaml", "laod.yaml")))
        .hasMessageContaining(
            "clients must be clients, or a load description that can be read, but is laod.yaml");
    Files.writeString(folder.resolve("load.yaml"), "clients: {kind: open, rate: -3/s}");
    assertThatThrownBy(() -> read(named))
        .hasMessage(
            folder.resolve("load.yaml")
                + ":1: clients.rate must be a rate above 0, such as 128/s, but is -3/s");
  }

  @Test
  void policiesHaveNamesAsWellAndProcessorsAreTheTiersCores() throws BadInput, IOException {
    String fbos =
        GOOD.replace("controller: throughput, step: 5, window: 500ms", "controller: fbos");
    assertThat(read(fbos).governors().get("web"))
        .isNotNull()
        .returns(true, Governor::policy)
        .returns("fbos", Governor::name);
    String curve =
        GOOD.replace(
            "controller: throughput, step: 5, window: 500ms", "controller: response-curve");
    assertThat(read(curve).governors().get("web"))
        .isNotNull()
        .returns(Map.of("processors", "4"), Governor::settings)
        .returns(0.5, Governor::window);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> ModelFile.read(folder.resolve("none.yaml")))
        .hasMessage(folder.resolve("none.yaml") + ": there is no such file");
    assertThatThrownBy(() -> ModelFile.read(folder)).hasMessageContaining("it is a folder");
  }
}
