package io.poolkeeper.testbed.load.description;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.load.Loads;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.commons.rng.UniformRandomProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests with random parameters, bodies and expected texts. */
class ParametersTest {

  private static final String CLIENTS = "clients: {kind: closed, users: 1}\nfor: 1s\n";

  private final UniformRandomProvider random = new SplittableRandom(1)::nextLong;

  private static Request only(String rest) {
    return Loads.of(CLIENTS + rest).requests().get(0);
  }

  @Test
  void drawsEachValueOfARangeWithTheSameProbability() {
    Request request = only("http: {a: '/view?story={3..5}'}");
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 30_000; i++) {
      counts.merge(request.draw(random).path(), 1, Integer::sum);
    }
    assertThat(counts).containsOnlyKeys("/view?story=3", "/view?story=4", "/view?story=5");
    // Five standard deviations of a binomial count.
    assertThat(counts.values()).allMatch(count -> Math.abs(count - 10_000) < 5 * 82);
  }

  @Test
  void replacesAParameterByTheSameValueThroughoutARequest() {
    Request request =
        only(
            """
            parameters: {user: 1..1000000, word: [a+b, c], id: unique}
            http:
              a:
                method: POST
                path: /login?user={user}
                body: name=user{user}&password={user}{word}&id={id}
                expect: Hello user{user} {id}
            """);
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Request drawn = request.draw(random);
      String user = drawn.path().substring("/login?user=".length());
      String body = String.valueOf(drawn.body());
      String id = body.substring(body.indexOf("id=") + 3);
      assertThat(body).matches("name=user" + user + "&password=" + user + "(a\\+b|c)&id=[a-z0-9]+");
      assertThat(drawn.expected()).isEqualTo("Hello user" + user + " " + id);
      assertThat(drawn.isFixed()).isTrue();
      ids.add(id);
    }
    assertThat(ids).hasSize(100);
  }

  @Test
  void sameSeedGivesTheSameValues() {
    Request request = only("http: {a: '/{1..1000000}/{1..2000000}'}");
    UniformRandomProvider left = new SplittableRandom(7)::nextLong;
    UniformRandomProvider right = new SplittableRandom(7)::nextLong;
    for (int i = 0; i < 10; i++) {
      assertThat(request.draw(left)).isEqualTo(request.draw(right));
    }
  }

  @Test
  void fixedRequestTakesNoRandomNumber() {
    Request request = only("http: {a: {path: /a, expect: Hello}}");
    UniformRandomProvider none =
        () -> {
          throw new AssertionError("a random number was taken");
        };
    assertThat(request.draw(none)).isSameAs(request);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http: {a: '/{5..3}'}|the smaller first, but holds '5..3'",
        "http: {a: '/{1..99999999999}'}|within 0..1000000000",
        "http: {a: '/{_.._}'}|two whole numbers",
        "http: {a: '/{story}'}|parameters, of which there are none, but holds '{story}'",
        "http: {a: '/{'}|braces are in pairs",
        "http: {a: '/{}'}|of which there are none",
        "http: {a: '/{a{1..2}}'}|braces are in pairs",
        "parameters: {story: 1..5};http: {a: '/{storey}'}|did you mean 'story'",
        "parameters: {story: some};http: {a: /}|a range such as 1..5000, a list of texts",
        "parameters: {story: 5..1};http: {a: /}|parameters.story must hold ranges",
        "parameters: {word: [a b]};http: {a: /}|visible ASCII without",
        "parameters: {word: []};http: {a: /}|at least one value",
        "parameters: [1];http: {a: /}|must be a mapping from names of parameters",
        "http: {a: {path: /, body: x=1}}|http.a.body is for methods such as POST: GET has no body",
        "http: {a: {path: /, method: POST, body: 'x=a b'}}|the fields of a form",
        "http: {a: {path: /, method: HEAD, expect: x}}|the answer to HEAD has no text",
        "http: {a: {path: /, expects: x}}|did you mean 'expect'",
      })
  void refusesWhatIsWrong(String rest, String message) {
    byte[] text = (CLIENTS + rest.replace(';', '\n')).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(
            () -> DescriptionReader.read("load.yaml", new ByteArrayInputStream(text), 1L << 30))
        .isInstanceOf(BadInput.class)
        .message()
        .startsWith("load.yaml:")
        .contains(message)
        .satisfies(line -> assertThat(List.of(line.split("\n", -1))).hasSize(1));
  }
}
