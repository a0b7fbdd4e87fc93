package io.poolkeeper.micrometer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The series that a PromQL expression asks for, by name and labels. */
final class PromQl {

  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");

  /** A name that no parenthesis follows, and the matchers behind it. */
  private static final Pattern SELECTOR =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*+)(?!\\s*\\()\\s*(?:\\{((?:[^}\"]|\"[^\"]*\")*)\\})?");

  private static final Pattern MATCHER =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

  private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*\\]");

  private static final Pattern LABEL_VALUES =
      Pattern.compile("label_values\\((.*),\\s*([a-zA-Z_]+)\\)");

  private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset");

  private PromQl() {}

  /** A metric, the labels asked of it, and the values that some of them must have. */
  record Selector(String metric, Set<String> labels, Map<String, String> equal) {}

  static List<Selector> selectors(String query) {
    Matcher values = LABEL_VALUES.matcher(query);
    if (values.matches()) {
      List<Selector> of = selectors(values.group(1));
      of.forEach(selector -> selector.labels().add(values.group(2)));
      return of;
    }
    Set<String> groupedBy = new LinkedHashSet<>();
    Matcher grouping = GROUPING.matcher(query);
    while (grouping.find()) {
      for (String label : grouping.group(1).split(",", -1)) {
        groupedBy.add(label.strip());
      }
    }
    String series = RANGE.matcher(grouping.replaceAll(" ")).replaceAll("");
    List<Selector> found = new ArrayList<>();
    Matcher selector = SELECTOR.matcher(series);
    while (selector.find()) {
      if (!WORDS.contains(selector.group(1))) {
        found.add(selector(selector, groupedBy));
      }
    }
    return found;
  }

  private static Selector selector(Matcher found, Set<String> groupedBy) {
    Set<String> labels = new LinkedHashSet<>(groupedBy);
    Map<String, String> equal = new HashMap<>();
    if (found.group(2) != null) {
      Matcher matcher = MATCHER.matcher(found.group(2));
      while (matcher.find()) {
        labels.add(matcher.group(1));
        if (matcher.group(2).equals("=")) {
          equal.put(matcher.group(1), matcher.group(3));
        } else if (matcher.group(2).equals("=~") && !matcher.group(3).startsWith("$")) {
          equal.put(matcher.group(1), matcher.group(3));
        }
      }
    }
    return new Selector(found.group(1), labels, equal);
  }
}
