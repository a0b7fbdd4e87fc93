package io.poolkeeper.testbed.load.description;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.commands.BadInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DescriptionReaderTest {

  private static final String CLOSED = "clients: {kind: closed, phases: [{users: 1, for: 1s}]}\n";
  private static final String OPEN = "clients: {kind: open, phases: [{rate: 1/s, for: 1s}]}\n";
  private static final String HTTP = "http: {a: /}\n";

  private static LoadDescription read(String text) throws BadInput, IOException {
    return read(text, 1L << 30);
  }

  private static LoadDescription read(String text, long memory) throws BadInput, IOException {
    return DescriptionReader.read(
        "load.yaml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), memory);
  }

  @Test
  void readsEverySetting() throws Exception {
    LoadDescription load =
        read(
            """
            question: may stand here for people
            clients:
              kind: half-open
              name: shoppers
              phases: [{rate: 100/s, for: 1.5s}, {rate: 100/s to 0/s, for: 15s}]
              arrivals: {peak: 5, burst: 1s, quiet: 9s}
              think_time: exponential 2.5ms
              chain: {first: r, next: {r: {w: 0.2, end: 0.8}, w: {r: 1}}}
            http:
              w: {method: POST, path: "/w?x=1"}
              r: /r
            connections: 50
            timeout: 250ms
            seed: 7
            """);

    assertThat(load)
        .isEqualTo(
            new LoadDescription(
                "half-open",
                new Clients.Arriving(
                    "shoppers",
                    "",
                    Requests.chain(
                        "r", Map.of("r", Map.of("w", 0.2, "end", 0.8), "w", Map.of("r", 1.0))),
                    List.of(new Phase(1.5, 100), new Phase(15, 100, 0)),
                    new Pattern.Bursty(5, 1, 9),
                    0,
                    Distribution.exponential(0.0025)),
                List.of(new Request(0, "r", "GET", "/r"), new Request(1, "w", "POST", "/w?x=1")),
                50,
                Duration.ofMillis(250),
                7));
    assertThat(load.maximumConnections()).isEqualTo(50);
  }

  @Test
  void readsTheRequestsOfPhases() throws Exception {
    LoadDescription load =
        read(
            """
            clients:
              kind: closed
              phases:
                - {users: 200, requests: {call: 1}, for: 20s}
                - {users: 200, requests: {report: 0.5, cpu: 0.5}, for: 20s}
            http: {cpu: /cpu, call: /call20, report: /report, unused: /}
            """);

    assertThat(load.clients().phases())
        .containsExactly(
            new Phase(20, 200).sending(Requests.of("call")),
            new Phase(20, 200).sending(Requests.mix(Map.of("report", 0.5, "cpu", 0.5))));
    assertThat(load.names()).containsExactly("call", "report", "cpu");
  }

  @Test
  void defaultsWhatMayBeLeftOut() throws Exception {
    LoadDescription load = read("clients: {kind: open, rate: 128/s}\nfor: 2s\n" + HTTP);

    assertThat(load.clients())
        .isEqualTo(Clients.open(List.of(new Phase(2, 128))).sending(Requests.of("a")));
    assertThat(load.timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(load.connections()).isEqualTo(1000);
    assertThat(load.seed()).isEqualTo(1);
    assertThat(read(CLOSED + HTTP).maximumConnections()).isEqualTo(1);
  }

  @Test
  void jsonIsYaml() throws Exception {
    assertThat(
            read(
                """
                {"clients": {"kind": "open", "phases": [{"rate": "1/s", "for": "1s"}]},
                 "http": {"a": {"method": "GET", "path": "/"}}}
                """))
        .isEqualTo(read(OPEN + HTTP));
  }

  /** The lab's tests write the same files. */
  @ParameterizedTest
  @ValueSource(strings = {"closed", "open", "half-open", "phases"})
  void readsWhatTheLabWrites(String kind) throws Exception {
    Path file = Path.of("../../contract/load-descriptions", kind + ".json");
    LoadDescription load;
    try (InputStream in = Files.newInputStream(file)) {
      load = DescriptionReader.read(file.toString(), in, 1L << 30);
    }

    assertThat(load.kind()).isEqualTo(kind.equals("phases") ? "closed" : kind);
    assertThat(load.timeline().total()).isIn(17_500_000_000L, 15_000_000_000L);
    assertThat(load.names()).containsAnyOf("dbwrite", "prime", "login", "report");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          kind: open, rate: 0/s           | clients.rate must be a rate above 0, such as 128/s, but is 0/s
          kind: open, rate: -5            | clients.rate must be a rate above 0, such as 128/s, but is -5
          kind: open, rate: .nan          | clients.rate must be a rate above 0, such as 128/s, but is .nan
          kind: open, rate: 2000000/s           | clients must be at most 1,000,000 arrivals a second, but are 2,000,000
          kind: opne, rate: 1             | clients.kind: unknown kind of clients 'opne'; did you mean 'open'?
          kind: open, rate: 1/s, arrivals: poison | unknown arrivals 'poison'; did you mean 'poisson'? known: constant, poisson, {batches_of: 4}, {peak: 5, burst: 1s, quiet: 9s}
          kind: open, rate: 1/s, arrivals: batches | clients.arrivals need their mean size: {batches_of: 4}
          kind: open, rate: 1/s, arrivals: "{batches_of: 4}" | clients.arrivals must stand without quotation marks
          kind: open, rate: 1/s, arrivals: bursty | clients.arrivals need their figures: {peak: 5, burst: 1s, quiet: 9s}
          kind: open, rate: 1/s, arrivals: {peak: 11, burst: 1s, quiet: 9s} | at most (burst + quiet) / burst = 10.0, but is 11.0
          kind: open, rate: 1/s, users: 5   | clients: unknown setting 'users'
          kind: half-open, rate: 1/s        | clients: the setting 'stay' is missing
          kind: half-open, rate: 1/s, stay: 1 | clients.stay must be a probability, 0 to below 1, but is 1
          kind: half-open, rate: 1/s, stay: 0.5, think_time: -1ms | clients.think_time must be 0 or more
          kind: half-open, rate: 1/s, chain: {first: a, next: {a: {a: 0.5, end: 0.4}}} | clients.chain.next.a must have probabilities that sum to 1, but they sum to 0.9
          kind: half-open, rate: 1/s, chain: {first: home, next: {home: {home: 1}}} | chain of requests never comes to 'end' once it is at 'home', so that users would only pile up
          kind: half-open, rate: 1/s, chain: {first: a, next: {a: {b: 1}, b: {a: 1}}} | chain of requests never comes to 'end' once it is at 'a'
          kind: half-open, rate: 1/s, chain: {first: a, next: {a: {b: 0.1, end: 0.9}, b: {b: 1, end: 0}}} | chain of requests never comes to 'end' once it is at 'b'
          kind: open, rate: 1/s, requests: {a: 0.5, b: 0.4} | clients.requests must have probabilities that sum to 1, but they sum to 0.9
          kind: open, rate: 1/s, requests: {b: 1} | clients send a request that http does not describe: unknown request 'b'
          kind: closed, users: 0          | clients.users must be a whole number
          kind: closed, users: 2_000_000  | clients must be at most 1,000,000 users, but are 2,000,000
          kind: closed, users: 1, retry: x | clients.retry must be a duration with its unit
          kind: open, phases: [{rate: 0/s, for: 1s}] | clients.phases must have at least one phase with a rate above 0
          kind: open, phases: [{rate: 1/s, for: 0s}] | clients.phases[1].for must be longer than 0, but is 0s
          kind: open, phases: [{rate: 0/s to 0/s, for: 1s}] | clients.phases must have at least one phase with a rate above 0
          kind: open, phases: [{rate: 1/s to 9/s, for: 0s}] | clients.phases[1].for must be longer than 0, but is 0s
          kind: open, phases: [{rate: 1/s to -9/s, for: 1s}] | clients.phases[1].rate must be a rate of 0 or more, such as 128/s, but is -9/s
          kind: open, phases: [{rate: 1 to 9/s, for: 1s}] | clients.phases[1].rate must be a rate of 0 or more, such as 128/s, but is 1
          kind: open, phases: [{rate: 1/s to 2000000/s, for: 1s}] | clients must be at most 1,000,000 arrivals a second, but are 2,000,000
          kind: open, rate: 1/s to 9/s | clients.rate is a ramp, which stands in phases: they say how long it takes, as in phases: [{rate: 1/s to 9/s, for: 1m}]
          kind: closed, users: 1 to 9 | clients.users is a ramp, which stands in phases
          kind: closed, phases: [{users: -1 to 9, for: 1s}] | clients.phases[1].users must be a whole number within 0..2147483647, but is -1
          kind: closed, phases: [{users: 1 to 9 to 1, for: 1s}] | clients.phases[1].users must be a whole number within 0..2147483647, but is 9 to 1
          kind: closed, phases: [{users: 1 to, for: 1s}] | clients.phases[1].users must be a whole number within 0..2147483647, but is 1 to
          kind: open, phases: [{rate: 1/s, for: 1s, requests: {a: 0.5}}] | clients.phases[1].requests must have probabilities that sum to 1, but they sum to 0.5
          kind: open, phases: [{rate: 1/s, for: 1s, requests: {b: 1}}] | clients send a request that http does not describe: unknown request 'b'
          kind: open, phases: [{rate: 1/s, for: 1s, requests: {}}] | clients.phases[1].requests must name at least one of its requests
          kind: open, phases: [{rate: 1/s, for: 1s, request: {a: 1}}] | unknown setting 'request'; did you mean 'requests'?
          kind: open, requests: {a: 1}, phases: [{rate: 1/s, for: 1s, requests: {a: 1}}] | clients.requests stand in each of the phases already
          kind: half-open, stay: 0.5, phases: [{rate: 1/s, for: 1s, requests: {a: 1}}] | clients.phases[1].requests are for closed and open clients: a session may outlast a phase
          kind: closed, chain: {first: a, next: {a: {end: 1}}}, phases: [{users: 1, for: 1s, requests: {a: 1}}] | clients.phases[1].requests must be left out: the chain of the clients says what they send
          kind: open, phases: [{rate: 1/s, for: 999h}] | clients must last ten days at most
          """)
  void namesPlaceRuleAndValueOfClients(String clients, String message) {
    String length = clients.contains("phases") ? "" : "for: 1s\n";
    assertBad("clients: {" + clients + "}\n" + length + HTTP, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          connectons: 5             | unknown setting 'connectons'; did you mean 'connections'?
          connections: 0            | connections must be a whole number within 1..1000000, but is 0
          connections: 900_000      | connections need about 1,759 MB for 900,000 connections and 1 kinds of requests
          timeout: 0s               | timeout must be 1ms to ten days, but is 0s
          timeout: 30               | timeout must be a duration with its unit
          seed: 1.5                 | seed must be a whole number
          for: 5s                   | for must be left out: the phases of the clients say how long
          """)
  void namesPlaceRuleAndValueOfWhatStandsBeside(String setting, String message) {
    assertBad(OPEN + HTTP + setting, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          http: {}                  | http must name at least one of its requests
          http: {a b: /}            | must have a name without commas, spaces
          http: {a: x}              | http.a must be a path: visible ASCII that begins with / and has no #
          http: {a: {path: /, method: G T}} | http.a.method must be an HTTP method, but is G T
          http: {a: {method: GET}}  | http.a: the setting 'path' is missing
          http: {a: {pth: /}}       | unknown setting 'pth'; did you mean 'path'?
          http: [1]                 | http must be a mapping
          """)
  void namesPlaceRuleAndValueOfRequests(String http, String message) {
    assertBad(OPEN + http, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"clients": {             | load.yaml:1: is not YAML
          []                        | load.yaml:1: a load description is a mapping of settings
          ``                        | load.yaml:1: a load description is a mapping of settings
          http: {a: /}              | the setting 'clients' is missing
          clients: {kind: open, rate: 1/s} | the setting 'http' is missing
          """)
  void saysWhereTheTextIsWrong(String text, String message) {
    assertBad(text, message);
  }

  @Test
  void aClosedUserHasAConnectionOfItsOwn() {
    assertBad(CLOSED + HTTP + "connections: 5", "connections are for clients who arrive");
  }

  @Test
  void aLoadForTheSimulatorAloneIsRefused() {
    assertBad(
        HTTP + "for: 1s\nclients: [{kind: open, rate: 1/s}, {kind: closed, users: 1}]",
        "load.yaml:3: clients must be of one kind here: several at once can be simulated alone");
  }

  private static void assertBad(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(BadInput.class)
        .hasMessageStartingWith("load.yaml:")
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }
}
