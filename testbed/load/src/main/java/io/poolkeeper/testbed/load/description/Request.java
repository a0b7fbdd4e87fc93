package io.poolkeeper.testbed.load.description;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.rng.UniformRandomProvider;
import org.jspecify.annotations.Nullable;

/**
 * One kind of request that clients send. Its path, its body and the text that its answer must hold
 * may have placeholders, which each sending replaces by values of its own.
 *
 * @param index its number, from 0
 * @param name what it is called in the record
 * @param method HTTP method
 * @param path what is asked for, beginning with a slash
 * @param body fields of a form; null for none
 * @param expected text that an answer must hold to be right; null if any answer is
 * @param parameters what the placeholders stand for, by their names without braces
 */
public record Request(
    int index,
    String name,
    String method,
    String path,
    @Nullable String body,
    @Nullable String expected,
    Map<String, Parameter> parameters) {

  public Request {
    parameters = new LinkedHashMap<>(parameters);
  }

  /** A request without placeholders, any answer of which is right. */
  public Request(int index, String name, String method, String path) {
    this(index, name, method, path, null, null, Map.of());
  }

  /** Whether the answer has a header alone, whatever its header says of a body. */
  public boolean headOnly() {
    return method.equals("HEAD");
  }

  /** Whether every sending of it is the same. */
  public boolean isFixed() {
    return parameters.isEmpty();
  }

  /**
   * Returns the request with values in place of its parameters, one value for each. A fixed request
   * is returned as it is and takes no random number.
   */
  public Request draw(UniformRandomProvider random) {
    if (isFixed()) {
      return this;
    }
    String drawnPath = path;
    String drawnBody = body;
    String drawnText = expected;
    for (Map.Entry<String, Parameter> each : parameters.entrySet()) {
      String placeholder = '{' + each.getKey() + '}';
      String value = each.getValue().draw(random);
      drawnPath = drawnPath.replace(placeholder, value);
      drawnBody = drawnBody == null ? null : drawnBody.replace(placeholder, value);
      drawnText = drawnText == null ? null : drawnText.replace(placeholder, value);
    }
    return new Request(index, name, method, drawnPath, drawnBody, drawnText, Map.of());
  }

  /** The text that its answer must hold, empty for none. */
  public String expectedText() {
    return Objects.requireNonNullElse(expected, "");
  }
}
