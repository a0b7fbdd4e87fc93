package io.poolkeeper.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.Mode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One line of {@code decisions.jsonl}: how a decision is written, and how it is read back. */
final class DecisionLine {

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  private DecisionLine() {}

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
   * @param place file and line, for messages
   * @throws IOException naming the place, and the field that is missing or wrong
   */
  static PoolDecision read(String place, String text) throws IOException {
    Fields line = new Fields(place, parse(place, text));
    return new PoolDecision(
        line.text("pool"),
        line.object().has("controller") ? line.text("controller") : "",
        line.whole("at_ns"),
        word(line, "mode", Mode.values()),
        word(line, "action", Action.values()),
        line.size("size_before"),
        line.size("size_after"),
        line.sizeOrNull("size_asked"),
        line.text("reason"),
        numbers(line.object("numbers")));
  }

  private static JsonNode parse(String place, String text) throws IOException {
    JsonNode line;
    try {
      line = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException(place + ": is not JSON: " + RecordFolder.why(e), e);
    }
    if (!line.isObject()) {
      throw new IOException(
          place + ": must be a JSON object, but is " + (text.isEmpty() ? "empty" : text));
    }
    return line;
  }

  private static <W> W word(Fields line, String name, W[] words) throws IOException {
    String found = line.text(name);
    for (W word : words) {
      if (word.toString().equals(found)) {
        return word;
      }
    }
    String valid = Stream.of(words).map(W::toString).collect(Collectors.joining(", "));
    throw line.wrong("%s must be one of %s, but is \"%s\"".formatted(name, valid, found));
  }

  private static Map<String, Double> numbers(Fields written) throws IOException {
    Map<String, Double> numbers = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : written.object().properties()) {
      JsonNode value = entry.getValue();
      if (!value.isNumber() && !value.isNull()) {
        throw written.wrong(
            "number %s must be a number or null, but is %s".formatted(entry.getKey(), value));
      }
      numbers.put(entry.getKey(), value.isNull() ? Double.NaN : value.doubleValue());
    }
    return numbers;
  }
}
