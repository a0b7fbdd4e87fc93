package io.tidepool.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidepool.ControlListener.Action;
import io.tidepool.Mode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One line of {@code decisions.jsonl}: how a decision is written, and how it is read back. */
final class DecisionLine {

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  private final Path file;
  private final int number;
  private final JsonNode line;

  private DecisionLine(Path file, int number, String text) throws IOException {
    this.file = file;
    this.number = number;
    try {
      line = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw wrong("is not JSON: " + e.getOriginalMessage().lines().findFirst().orElse(""));
    }
    if (!line.isObject()) {
      throw wrong("must be a JSON object, but is " + (text.isEmpty() ? "empty" : text));
    }
  }

  static String write(PoolDecision decision) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("pool", decision.pool());
    line.put("controller", decision.controller());
    line.put("at_ns", decision.at());
    line.put("mode", decision.mode().toString());
    line.put("action", decision.action().toString());
    line.put("size_before", decision.before());
    line.put("size_after", decision.after());
    line.put("size_asked", decision.asked());
    line.put("reason", decision.reason());
    Map<String, @Nullable Double> numbers = new LinkedHashMap<>();
    decision
        .numbers()
        .forEach((name, value) -> numbers.put(name, Double.isNaN(value) ? null : value));
    line.put("numbers", numbers);
    try {
      return JSON.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError("a map of texts and numbers is always JSON", e);
    }
  }

  /**
   * Reads a line; fields that it does not know are ignored.
   *
   * @throws IOException naming file, line and field that is missing or wrong
   */
  static PoolDecision read(Path file, int number, String text) throws IOException {
    DecisionLine line = new DecisionLine(file, number, text);
    return new PoolDecision(
        line.text("pool"),
        line.line.has("controller") ? line.text("controller") : "",
        line.field("at_ns", "a whole number", JsonNode::canConvertToExactIntegral).longValue(),
        line.word("mode", Mode.values()),
        line.word("action", Action.values()),
        line.size("size_before"),
        line.size("size_after"),
        line.asked(),
        line.text("reason"),
        line.numbers());
  }

  private String text(String name) throws IOException {
    return field(name, "a text", JsonNode::isTextual).textValue();
  }

  private int size(String name) throws IOException {
    return field(name, "a whole number >= 0", size -> size.isInt() && size.intValue() >= 0)
        .intValue();
  }

  private @Nullable Integer asked() throws IOException {
    JsonNode asked =
        field("size_asked", "a whole number or null", size -> size.isInt() || size.isNull());
    return asked.isNull() ? null : asked.intValue();
  }

  private <W> W word(String name, W[] words) throws IOException {
    String known = Stream.of(words).map(W::toString).collect(Collectors.joining(", "));
    String found = field(name, "one of " + known, JsonNode::isTextual).textValue();
    return Stream.of(words)
        .filter(word -> word.toString().equals(found))
        .findFirst()
        .orElseThrow(() -> wrong(name + " must be one of " + known + ", but is \"" + found + '"'));
  }

  private Map<String, Double> numbers() throws IOException {
    Map<String, Double> numbers = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry :
        field("numbers", "an object", JsonNode::isObject).properties()) {
      JsonNode value = entry.getValue();
      if (!value.isNumber() && !value.isNull()) {
        throw wrong(
            "number %s must be a number or null, but is %s".formatted(entry.getKey(), value));
      }
      numbers.put(entry.getKey(), value.isNull() ? Double.NaN : value.doubleValue());
    }
    return numbers;
  }

  private JsonNode field(String name, String wanted, Predicate<JsonNode> right) throws IOException {
    JsonNode value = line.get(name);
    if (value == null) {
      throw wrong("field missing: " + name);
    }
    if (!right.test(value)) {
      throw wrong(name + " must be " + wanted + ", but is " + value);
    }
    return value;
  }

  private IOException wrong(String what) {
    return new IOException(file + ", line " + number + ": " + what);
  }
}
