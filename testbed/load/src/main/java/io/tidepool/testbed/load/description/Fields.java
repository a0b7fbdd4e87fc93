package io.tidepool.testbed.load.description;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** One object of the load description, of which only known fields of the right type are read. */
final class Fields {

  private final String place;
  private final JsonNode object;

  /**
   * @param place what the object is called in messages
   * @param known the fields that it may have
   * @throws BadInput if {@code object} is not an object, or has another field
   */
  Fields(String place, JsonNode object, String... known) throws BadInput {
    this.place = place;
    this.object = object;
    if (!object.isObject()) {
      throw new BadInput(place + " must be an object, but is " + object);
    }
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!Arrays.asList(known).contains(name)) {
        throw new BadInput(place + ": unknown field '" + name + "'" + hint(name, known));
      }
    }
  }

  boolean has(String name) {
    return object.has(name);
  }

  /**
   * @throws BadInput if there is no such field
   */
  JsonNode value(String name) throws BadInput {
    JsonNode value = object.get(name);
    if (value == null) {
      throw new BadInput(place + ": '" + name + "' is missing");
    }
    return value;
  }

  /** The elements of a list that must have at least one. */
  List<JsonNode> list(String name) throws BadInput {
    JsonNode value = value(name);
    require(value.isArray() && !value.isEmpty(), name, "a list with at least one element");
    List<JsonNode> elements = new ArrayList<>();
    value.forEach(elements::add);
    return elements;
  }

  String text(String name) throws BadInput {
    JsonNode value = value(name);
    require(value.isTextual() && !value.asText().isEmpty(), name, "a text that is not empty");
    return value.asText();
  }

  double number(String name) throws BadInput {
    JsonNode value = value(name);
    require(value.isNumber() && Double.isFinite(value.asDouble()), name, "a number");
    return value.asDouble();
  }

  long whole(String name) throws BadInput {
    JsonNode value = value(name);
    require(value.isIntegralNumber() && value.canConvertToLong(), name, "a whole number");
    return value.asLong();
  }

  /**
   * @param rule what the value must be, after the words "must be"
   * @throws BadInput naming field, rule and value if {@code holds} is false
   */
  void require(boolean holds, String name, String rule) throws BadInput {
    if (!holds) {
      throw new BadInput(place + ": '" + name + "' must be " + rule + ", but is " + value(name));
    }
  }

  private static String hint(String name, String... known) {
    return Arrays.stream(known)
        .min(Comparator.comparingInt(word -> distance(name, word)))
        .filter(word -> distance(name, word) <= word.length() / 2)
        .map(word -> ", did you mean '" + word + "'?")
        .orElse("; known are " + String.join(", ", known));
  }

  /** Levenshtein's distance, upper and lower case being the same. */
  private static int distance(String a, String b) {
    String from = a.toLowerCase(Locale.ROOT);
    String to = b.toLowerCase(Locale.ROOT);
    int[] row = new int[to.length() + 1];
    Arrays.setAll(row, j -> j);
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[to.length()];
  }
}
