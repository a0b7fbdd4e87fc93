package io.tidepool.testbed.load.description;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads a load description: one JSON object, described in {@code contract/load-description.md}.
 * {@code users}, {@code phases} and {@code requests}, and of these {@code users}, {@code seconds},
 * {@code name} and {@code path}, must be there. The rest has defaults: no think time, one
 * connection a user, {@code GET}, weight 1, a timeout of 30 s, seed 1.
 */
public final class DescriptionReader {

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Ten days: longer than any experiment, and far below where nanoseconds overflow. */
  private static final double LONGEST_NANOS = 10 * 24 * 3600 * NANOS_PER_SECOND;

  private static final int MOST_USERS = 1_000_000;

  /** The tokens of RFC 9110, section 5.6.2. */
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** Visible ASCII without the fragment: what may follow the method of a request. */
  private static final Pattern PATH = Pattern.compile("/[!-~&&[^#]]*");

  /** A tag of an HdrHistogram log may not hold these. */
  private static final Pattern NAME = Pattern.compile("[^,\\s\\p{Cntrl}]+");

  private DescriptionReader() {}

  /**
   * Reads a description to its end.
   *
   * @throws BadInput naming the field, the rule and the value, if it is not a valid description
   * @throws IOException if {@code in} cannot be read
   */
  public static LoadDescription read(InputStream in) throws BadInput, IOException {
    JsonNode tree;
    try {
      tree = JSON.readTree(in);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "load description: line %d, column %d: %s"
              .formatted(
                  e.getLocation().getLineNr(),
                  e.getLocation().getColumnNr(),
                  e.getOriginalMessage().replaceAll("\\s+", " ")));
    }
    if (tree.isMissingNode()) {
      throw new BadInput("load description: it is empty");
    }
    return description(
        new Fields(
            "load description",
            tree,
            "users",
            "think_time_ms",
            "connections_per_user",
            "phases",
            "requests",
            "timeout_ms",
            "seed"));
  }

  private static LoadDescription description(Fields fields) throws BadInput {
    fields.require(fields.text("users").equals("closed"), "users", "\"closed\"");
    if (fields.has("connections_per_user")) {
      fields.require(fields.whole("connections_per_user") == 1, "connections_per_user", "1");
    }
    List<Phase> phases = new ArrayList<>();
    for (JsonNode phase : fields.list("phases")) {
      phases.add(phase("phases[" + phases.size() + "]", phase));
    }
    fields.require(
        phases.stream().anyMatch(phase -> phase.users() > 0),
        "phases",
        "a list in which at least one phase has a user");
    double nanos = phases.stream().mapToDouble(phase -> phase.length().toNanos()).sum();
    fields.require(nanos <= LONGEST_NANOS, "phases", "ten days long at most");
    List<Request> requests = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode element : fields.list("requests")) {
      Request request = request(requests.size(), element);
      requests.add(request);
      fields.require(names.add(request.name()), "requests", "a list without equal names");
    }
    fields.require(
        requests.stream().anyMatch(request -> request.weight() > 0),
        "requests",
        "a list in which at least one weight is above 0");
    return new LoadDescription(
        fields.has("think_time_ms") ? thinkTime(fields) : new ThinkTime(0, false),
        phases,
        requests,
        fields.has("timeout_ms") ? timeout(fields) : Duration.ofSeconds(30),
        fields.has("seed") ? fields.whole("seed") : 1);
  }

  private static Phase phase(String place, JsonNode element) throws BadInput {
    Fields fields = new Fields(place, element, "users", "seconds");
    long users = fields.whole("users");
    fields.require(0 <= users && users <= MOST_USERS, "users", "within 0.." + MOST_USERS);
    double nanos = fields.number("seconds") * NANOS_PER_SECOND;
    fields.require(1 <= nanos && nanos <= LONGEST_NANOS, "seconds", "> 0 and ten days at most");
    return new Phase((int) users, Duration.ofNanos(Math.round(nanos)));
  }

  private static Request request(int index, JsonNode element) throws BadInput {
    Fields fields =
        new Fields("requests[" + index + "]", element, "name", "method", "path", "weight");
    String name = fields.text("name");
    fields.require(NAME.matcher(name).matches(), "name", "without commas, spaces and line breaks");
    String method = fields.has("method") ? fields.text("method") : "GET";
    fields.require(
        TOKEN.matcher(method).matches() && !method.equals("CONNECT"), "method", "an HTTP method");
    String path = fields.text("path");
    fields.require(
        PATH.matcher(path).matches(), "path", "visible ASCII that begins with / and has no #");
    double weight = fields.has("weight") ? fields.number("weight") : 1;
    fields.require(weight >= 0, "weight", ">= 0");
    return new Request(index, name, method, path, weight);
  }

  private static ThinkTime thinkTime(Fields fields) throws BadInput {
    boolean exponential = fields.value("think_time_ms").isObject();
    Fields holder =
        exponential
            ? new Fields("think_time_ms", fields.value("think_time_ms"), "exponential")
            : fields;
    String name = exponential ? "exponential" : "think_time_ms";
    double nanos = holder.number(name) * NANOS_PER_MILLI;
    holder.require(0 <= nanos && nanos <= LONGEST_NANOS, name, ">= 0 and ten days at most");
    return new ThinkTime(nanos, exponential);
  }

  private static Duration timeout(Fields fields) throws BadInput {
    double nanos = fields.number("timeout_ms") * NANOS_PER_MILLI;
    fields.require(
        NANOS_PER_MILLI <= nanos && nanos <= LONGEST_NANOS,
        "timeout_ms",
        ">= 1 and ten days at most");
    return Duration.ofNanos(Math.round(nanos));
  }
}
