package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Wrong options and ports in use: one line, exit code 2; and the help. */
final class ServerOptionsTest {

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private CommandLine command() {
    return ServerMain.commandLine(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private int run(String options) {
    return command().execute(options.strip().split(" +"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--application prime --window -5s           | '-5s'",
        "--application prime --window 5             | '5'",
        "--application prime --window 9999999999m   | at most 292 years",
        "--application prime --idle-timeout 0s      | idle-timeout must be positive",
        "--application prime --event-loops 0        | event-loops must be >= 1, but is 0",
        "--application prime --pool fixed:500       | fixed pool must be within 1..256, but is 500",
        "--application prime --pool fixed:0         | fixed pool must be within 1..256, but is 0",
        "--application prime --queue-capacity 0     | queue-capacity must be >= 1, but is 0",
        "--application prime --n eleven             | 'eleven'",
        "--application prime --n 1                  | n must be >= 2, but is 1",
        "--application prime --bounds 5..2          | maximum must be >= minimum, but 2 < 5",
        "--application prime --frobnicate           | --frobnicate",
        "--application dbread --jdbc-url nowhere    | jdbc-url must be",
        "--bounds 1..2                              | --application",
        "--application prim1m            | did you mean 'prime1m'",
        "--application dbwrit            | did you mean 'dbwrite'",
        "--application dbwrite --connections pool:0 | pool:N with N >= 1, but is 'pool:0'",
        "--application dbwrite --beside dbraed | did you mean 'dbread'",
        "--application dbwrite --lock-share 2 | lock-share must be within 0..1, but is 2.0",
        "--application call20            | call20 needs a downstream server: give --downstream",
        "--application cpu --beside call | call needs a downstream server: give --downstream",
        "--application call --downstream here | downstream must be HOST:PORT, such as 127.0.0.1:8080, but is 'here'",
        "--application call --downstream a:1 --downstream-timeout 0s | downstream-timeout must be >= 1 ms",
        "--application lock --lock-share 2 | lock-share must be within 0..1, but is 2.0",
        "--application prime --pool fixed:many      | pool must be fixed:N with a whole number, such as fixed:4, but is 'fixed:many'",
        "--application prime --pool throughputt     | did you mean 'throughput'",
        "--application prime --pool throughput --set stepp=1 | did you mean 'step'",
        "--application prime --pool throughput --set step=0 | step must be >= 1",
        "--application prime --bounds 9..3          | maximum must be >= minimum, but 3 < 9",
        "--application prime --bounds 3             | bounds must be MIN..MAX",
        "--application prime --variant four         | variant must be NAME:POOL, such as four:fixed:4, but is 'four'",
        "--application prime --variant a:fixed:4 --variant a:fixed:5 | variant 'a' is given twice",
        "--application prime --variant a:fixed:400  | fixed pool must be within 1..256, but is 400",
        "--application prime --variant a:plain      | variant a has no handlers: plain cannot take turns",
        "--application prime --variant a:fbos       | variant a cannot take turns: fbos does not decide once a window",
        "--application prime --variant a:open-liberty | variant a cannot take turns: open-liberty does not decide",
        "--application prime --variant a:throughput,step | variant a must have settings such as tolerance=0.05, but has 'step'",
        "--application prime --variant a:throughput,stepp=1 | did you mean 'step'",
        "--application prime --variant a:throughput,initial=0 | initial of variant a must be a whole number >= 1, but is '0'",
        "--application prime --variant a:throughput,initial=x | initial of variant a must be a whole number >= 1, but is 'x'",
        "--application prime --variant a:throughput --pool fixed:3 | pool must be left out: each variant states its own",
        "--application prime --variant a:throughput --initial 3 | initial must be left out: each variant states its own",
        "--application prime --variant a:throughput --architecture nio | architecture nio has no handlers: leave out --variant",
        "--application prime --initial 0            | initial must be within 1..256, but is 0",
        "--application prime --initial 500          | initial must be within 1..256, but is 500",
        "--application prime --window 0ms           | window must be >= 1 ms",
        "--application prime --objective goodputt   | objective goodput must have a bound",
        "--application prime --objective fast       | unknown objective 'fast'",
        "--application prime --mode fast            | mode must be",
        "--application prime --port 70000           | port must be within",
        "--application prime --architecture nio-disruptr | did you mean 'nio-disruptor'",
        "--application prime --architecture nio --pool fixed:2 | nio has no handlers",
        "--application prime --architecture blocking --pool plain | blocking has handlers",
        "--application prime --architecture netty --pool group:2  | group:2 is for architecture plain-netty, not for netty",
        "--application prime --architecture plain-netty --pool group:0 | group:N with N from 1 to 9999, but is group:0",
        "--application prime --architecture plain-netty --pool fixed:2 | plain-netty has no handlers",
        "--application prime --architecture nio-actor --pool fbos | choose a controller",
        "--application prime --pool open-librety   | did you mean 'open-liberty'",
        "--application prime --pool open-liberty --set step=1 | open-liberty has no setting step",
        "--application prime --pool open-liberty --initial 1 | leave out --initial",
        "--application prime --pool open-liberty --queue-capacity 3 | leave out --queue-capacity",
        "--application prime --architecture nio-actor --pool open-liberty | choose a controller",
        "--application prime --architecture nio-actor --queue-capacity 3 | is for a queue",
        "--application prime --architecture nio2 --event-loops 0 | event-loops must be >= 1",
        "--application prime --admission adaptve   | did you mean 'adaptive'",
        "--application prime --admission fixed:0   | admission must be fixed:N with a whole number",
        "--application prime --admission fixed:x   | but is 'fixed:x'",
        "--application prime --admission none --patience 1s | patience needs --admission adaptive: none lets",
        "--application prime --patience 1s          | patience needs --admission adaptive",
        "--application prime --admission adaptive --patience 5 | '5'",
        "--application prime --admission none --pool fixed:3 | leave out --pool fixed:3",
        "--application prime --admission none --variant a:fixed:3 | leave out --variant",
        "--application prime --variant a:fixed:3 --patience 1s | patience needs --admission adaptive",
        "--application prime --admission none --queue-capacity 3 | leave out --queue-capacity 3",
        "--application prime --admission none --architecture nio | leave out --architecture nio",
        "--application prime --admission netflix-vegas --set step=1 | leave out --set {step=1}",
        "--application prime --admission netflix-vegas --initial 3 | leave out --initial 3",
        "--application prime --admission failsafe-style --bounds 1..9 | leave out --bounds 1..9",
        "--application prime --admission adaptive --bounds 1..5 --initial 9 | initial must be within 1..5",
        "--application prime --admission adaptive --set tolerance=2 | tolerance must be",
        "--application prime --architecture nio --admin-port 0 | admin-port must be left out: nio has no pool",
        "--application prime --pool plain --admin-port 8081 | admin-port must be left out: netty has no pool",
        "--application prime --architecture nio2 --record /tmp/r | record must be left out: nio2 has no pool",
        "--application prime --objective mean-latency --set objective=throughput | differs from --set",
        "--applicatoin prime                        | unknown option '--applicatoin'; did you mean '--application'?",
        "--aplication=prime --port 8080             | did you mean '--application'?",
        "--application prime --architecure nio      | did you mean '--architecture'?",
      })
  void wrongOptionsAreOneLineThatNamesThem(String options, String expected) {
    assertThat(run(options)).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .filteredOn(line -> !line.contains("files may be open"))
        .singleElement()
        .asString()
        .startsWith("poolkeeper: ")
        .contains(expected.strip());
    assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--pool plain --port", "--pool fixed:1 --port", "--admin-port"})
  void aPortInUseIsNamed(String option) throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(run("--application prime " + option + " " + taken.getLocalPort())).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8))
          .contains("cannot listen on", "port " + taken.getLocalPort());
    }
  }

  @Test
  void aRecordThatCannotBeMadeIsAFailureAndNamed() {
    assertThat(run("--application prime --record /dev/null/x")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("poolkeeper: cannot record in /dev/null/x: Not a directory\n");
  }

  @Test
  void aDatabaseThatIsNotThereIsAFailureButNoWrongOption() {
    assertThat(run("--application dbread --jdbc-url jdbc:mariadb://127.0.0.1:1/x?user=root"))
        .isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("127.0.0.1:1")
        .doesNotContain("\tat ");
  }

  @Test
  void theHelpNamesEveryOptionAndGivesAnExample() {
    assertThat(run("--help")).isZero();
    CommandLine.Model.CommandSpec spec = command().getCommandSpec();
    assertThat(spec.options())
        .allSatisfy(
            option -> {
              assertThat(out.toString(StandardCharsets.UTF_8)).contains(option.longestName());
              assertThat(option.description()).as(option.longestName()).isNotEmpty();
            });
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("Example:");
  }

  @ParameterizedTest
  @CsvSource({"500ms,PT0.5S", "1.5s,PT1.5S", "2m,PT2M"})
  void durationsAreReadAsPeopleWriteThem(String text, Duration expected) {
    assertThat(new DurationConverter().convert(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "--pool response-curve,             PT0.5S",
    "--admission adaptive,              PT0.5S",
    "--pool response-curve --window 2s, PT2S",
    "--pool open-liberty,               PT1S",
  })
  void aWindowIsAsLongAsTheControllerRecommends(String options, Duration expected) {
    PoolOptions pool = new PoolOptions();
    new CommandLine(pool).parseArgs(options.split(" "));
    assertThat(pool.describe("test").window()).isEqualTo(expected);
  }
}
