package io.tidepool.testbed.load.description;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DescriptionReaderTest {

  private static final String PHASES = "'phases': [{'users': 1, 'seconds': 1}]";
  private static final String REQUESTS = "'requests': [{'name': 'a', 'path': '/'}]";

  private static LoadDescription read(String json) throws BadInput, IOException {
    return DescriptionReader.read(
        new ByteArrayInputStream(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void readsEveryField() throws Exception {
    LoadDescription load =
        read(
            """
            {'users': 'closed', 'think_time_ms': {'exponential': 2.5}, 'connections_per_user': 1,
             'phases': [{'users': 100, 'seconds': 1.5}, {'users': 0, 'seconds': 15}],
             'requests': [{'name': 'w', 'method': 'POST', 'path': '/w?x=1', 'weight': 3},
                          {'name': 'r', 'path': '/r'}],
             'timeout_ms': 250, 'seed': -7}
            """);

    assertThat(load)
        .isEqualTo(
            new LoadDescription(
                new ThinkTime(2.5e6, true),
                List.of(
                    new Phase(100, Duration.ofMillis(1500)), new Phase(0, Duration.ofSeconds(15))),
                List.of(
                    new Request(0, "w", "POST", "/w?x=1", 3), new Request(1, "r", "GET", "/r", 1)),
                Duration.ofMillis(250),
                -7));
    assertThat(load.maximumUsers()).isEqualTo(100);
  }

  @Test
  void defaultsWhatMayBeLeftOut() throws Exception {
    LoadDescription load = read("{'users': 'closed', " + PHASES + ", " + REQUESTS + "}");

    assertThat(load.thinkTime()).isEqualTo(new ThinkTime(0, false));
    assertThat(load.timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(load.seed()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          'think_tme_ms': 1         | unknown field 'think_tme_ms', did you mean 'think_time_ms'?
          'colour': 1               | unknown field 'colour'; known are users, think_time_ms
          'users': 'open'           | 'users' must be "closed", but is "open"
          'connections_per_user': 2 | 'connections_per_user' must be 1, but is 2
          'think_time_ms': -1       | 'think_time_ms' must be >= 0 and ten days at most, but is -1
          'think_time_ms': '5'      | 'think_time_ms' must be a number, but is "5"
          'think_time_ms': {'exponental': 1} | did you mean 'exponential'?
          'timeout_ms': 0           | 'timeout_ms' must be >= 1 and ten days at most, but is 0
          'seed': 1.5               | 'seed' must be a whole number, but is 1.5
          'phases': []              | 'phases' must be a list with at least one element, but is []
          'phases': [{'users': 0, 'seconds': 1}] | at least one phase has a user, but is
          'phases': [{'users': -1, 'seconds': 1}] | phases[0]: 'users' must be within 0..1000000
          'phases': [{'users': 1, 'seconds': -2}] | phases[0]: 'seconds' must be > 0
          'phases': [{'user': 1, 'seconds': 1}] | phases[0]: unknown field 'user', did you mean 'users'?
          'phases': [{'users': 1}]  | phases[0]: 'seconds' is missing
          'phases': [1]             | phases[0] must be an object, but is 1
          'requests': [{'name': 'a b', 'path': '/'}] | 'name' must be without commas, spaces
          'requests': [{'name': 'a', 'path': 'x'}] | requests[0]: 'path' must be visible ASCII that
          'requests': [{'name': 'a', 'path': '/', 'method': 'G T'}] | must be an HTTP method
          'requests': [{'name': 'a', 'path': '/', 'weight': 0}] | at least one weight is above 0
          'requests': [{'name': 'a', 'path': '/', 'weight': -1}] | 'weight' must be >= 0, but is -1
          'requests': [{'name': 'a', 'path': '/'}, {'name': 'a', 'path': '/'}] | without equal names
          """)
  void namesFieldRuleAndValue(String field, String message) {
    StringBuilder json = new StringBuilder("{" + field);
    for (String other : List.of("'users': 'closed'", PHASES, REQUESTS)) {
      if (!field.startsWith(other.substring(0, 8))) {
        json.append(", ").append(other);
      }
    }

    assertThatThrownBy(() -> read(json + "}"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'users': 'closed',       | line 1
          {'users': 1, 'users': 2}  | Duplicate field 'users'
          {} {}                     | Trailing token
          []                        | load description must be an object, but is []
          {'users': 'closed'}       | load description: 'phases' is missing
          ``                        | load description: it is empty
          """)
  void saysWhereTheJsonIsWrong(String json, String message) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }
}
