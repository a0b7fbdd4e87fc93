package io.poolkeeper.record;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a JSON object by name; each missing or wrong one is an IOException that names it
 * and the place of the object.
 *
 * @param place file and line, or file and path in it
 */
record Fields(String place, JsonNode object) {

  String text(String name) throws IOException {
    return field(name, "a text", JsonNode::isTextual).textValue();
  }

  long whole(String name) throws IOException {
    return field(name, "a whole number", JsonNode::canConvertToExactIntegral).longValue();
  }

  /** A whole number of workers or permits. */
  int size(String name) throws IOException {
    return field(name, "a whole number >= 0", size -> size.isInt() && size.intValue() >= 0)
        .intValue();
  }

  @Nullable Integer sizeOrNull(String name) throws IOException {
    JsonNode size = field(name, "a whole number or null", value -> value.isInt() || value.isNull());
    return size.isNull() ? null : size.intValue();
  }

  Fields object(String name) throws IOException {
    return new Fields(place, field(name, "an object", JsonNode::isObject));
  }

  private JsonNode field(String name, String wanted, Predicate<JsonNode> right) throws IOException {
    JsonNode value = object.get(name);
    if (value == null) {
      throw wrong("field missing: " + name);
    }
    if (!right.test(value)) {
      throw wrong(name + " must be " + wanted + ", but is " + value);
    }
    return value;
  }

  IOException wrong(String what) {
    return new IOException(place + ": " + what);
  }
}
