package io.poolkeeper.testbed.load.description;

import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Names;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the requests of a load description, with their parameters. */
final class RequestReader {

  /** The tokens of RFC 9110, section 5.6.2. */
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** Visible ASCII without the fragment: what may follow the method of a request. */
  private static final Pattern PATH = Pattern.compile("/[!-~&&[^#]]*");

  /** Fields of a form, encoded: visible ASCII. */
  private static final Pattern FORM = Pattern.compile("[!-~]+");

  /** A tag of an HdrHistogram log may not hold these. */
  private static final Pattern NAME = Pattern.compile("[^,\\s\\p{Cntrl}]+");

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)\\}");
  private static final Pattern RANGE = Pattern.compile("([0-9_]{1,12})\\.\\.([0-9_]{1,12})");
  private static final Pattern VALUE = Pattern.compile("[!-~&&[^#{}]]+");
  private static final String UNIQUE = "unique";

  private final Map<String, Parameter> parameters;

  /**
   * @param entry the parameters by their names; null if there are none
   */
  RequestReader(@Nullable Entry entry) throws BadInput {
    parameters = new LinkedHashMap<>();
    if (entry != null) {
      for (Map.Entry<String, Entry> each : entry.named("parameters").entrySet()) {
        parameters.put(each.getKey(), parameter(each.getValue()));
      }
    }
  }

  private static Parameter parameter(Entry entry) throws BadInput {
    if (entry.isList()) {
      List<String> texts = new ArrayList<>();
      for (Entry each : entry.elements()) {
        String text = each.text();
        if (!VALUE.matcher(text).matches()) {
          throw each.mustBe("visible ASCII without #, { and }, such as a+b%2Fc");
        }
        texts.add(text);
      }
      return new Parameter.Choice(texts);
    }
    String text = entry.text();
    if (text.equals(UNIQUE)) {
      return new Parameter.Unique();
    }
    if (!RANGE.matcher(text).matches()) {
      throw entry.mustBe("a range such as 1..5000, a list of texts, or " + UNIQUE);
    }
    return range(entry, text);
  }

  private static Parameter range(Entry entry, String text) throws BadInput {
    Matcher ends = RANGE.matcher(text);
    if (ends.matches()) {
      String first = ends.group(1).replace("_", "");
      String last = ends.group(2).replace("_", "");
      if (!first.isEmpty() && !last.isEmpty()) {
        long from = Long.parseLong(first);
        long to = Long.parseLong(last);
        if (from <= to && to <= Entry.MOST) {
          return new Parameter.Range((int) from, (int) to);
        }
      }
    }
    throw entry.error(
        "must hold ranges of two whole numbers within 0..%d, the smaller first, but holds '%s'"
            .formatted(Entry.MOST, text));
  }

  /** A path alone, which is asked for with GET, or a path with what belongs to it. */
  Request request(int index, String name, Entry entry) throws BadInput {
    if (!NAME.matcher(name).matches()) {
      throw entry.error("must have a name without commas, spaces and line breaks");
    }
    if (!entry.isMapping()) {
      Map<String, Parameter> used = new LinkedHashMap<>();
      return new Request(index, name, "GET", path(entry, used), null, null, used);
    }
    Entry.Group group = entry.group("method", "path", "body", "expect");
    Map<String, Parameter> used = new LinkedHashMap<>();
    String path = path(group.require("path"), used);
    String method = method(group.get("method"));
    Entry body = group.get("body");
    if (body != null && !FORM.matcher(body.text()).matches()) {
      throw body.mustBe("the fields of a form, such as name={user}&text=a+b, in visible ASCII");
    }
    if (body != null && (method.equals("GET") || method.equals("HEAD"))) {
      throw body.error("is for methods such as POST: %s has no body".formatted(method));
    }
    Entry expected = group.get("expect");
    if (expected != null && method.equals("HEAD")) {
      throw expected.error("must be left out: the answer to HEAD has no text");
    }
    return new Request(
        index,
        name,
        method,
        path,
        body == null ? null : template(body, used),
        expected == null ? null : template(expected, used),
        used);
  }

  private String path(Entry entry, Map<String, Parameter> used) throws BadInput {
    if (!PATH.matcher(entry.text()).matches()) {
      throw entry.mustBe("a path: visible ASCII that begins with / and has no #");
    }
    return template(entry, used);
  }

  /** The text of an entry; the parameters that stand in it are added to {@code used}. */
  private String template(Entry entry, Map<String, Parameter> used) throws BadInput {
    String text = entry.text();
    Matcher placeholder = PLACEHOLDER.matcher(text);
    while (placeholder.find()) {
      String name = placeholder.group(1);
      Parameter named = parameters.get(name);
      used.put(name, named == null ? unnamed(entry, name) : named);
    }
    String rest = placeholder.replaceAll("");
    if (rest.indexOf('{') >= 0 || rest.indexOf('}') >= 0) {
      throw entry.mustBe("a text whose braces are in pairs, as in {story}");
    }
    return text;
  }

  private Parameter unnamed(Entry entry, String name) throws BadInput {
    if (RANGE.matcher(name).matches()) {
      return range(entry, name);
    }
    if (parameters.isEmpty()) {
      throw entry.error(
          "must hold ranges such as {1..5000}, or names of parameters, of which there are none, but"
              + " holds '{%s}'".formatted(name));
    }
    try {
      Names.require("parameter", name, parameters.keySet());
    } catch (IllegalArgumentException e) {
      throw entry.error(e);
    }
    throw new AssertionError(name);
  }

  private static String method(@Nullable Entry entry) throws BadInput {
    if (entry == null) {
      return "GET";
    }
    String method = entry.text();
    if (!TOKEN.matcher(method).matches() || method.equals("CONNECT")) {
      throw entry.mustBe("an HTTP method");
    }
    return method;
  }
}
