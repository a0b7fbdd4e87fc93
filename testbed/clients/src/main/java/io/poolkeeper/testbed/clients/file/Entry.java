package io.poolkeeper.testbed.clients.file;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Names;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** A value of a file with its name and its line; every complaint about it says both. */
public final class Entry {

  /** As large as a whole number may be where nothing else bounds it. */
  public static final int MOST = 1_000_000_000;

  private final String file;
  private final String name;
  private final int line;
  private final Node node;

  private Entry(String file, String name, int line, Node node) {
    this.file = file;
    this.name = name;
    this.line = line;
    this.node = node;
  }

  /** Reads a file whose root is a mapping of settings. */
  public static Entry read(Path path) throws BadInput {
    String text;
    try {
      text = Files.readString(path);
    } catch (CharacterCodingException e) {
      throw new BadInput(path + ": is not UTF-8 text");
    } catch (NoSuchFileException e) {
      throw new BadInput(path + ": there is no such file");
    } catch (IOException e) {
      throw new BadInput(
          path + ": cannot be read" + (Files.isDirectory(path) ? ", it is a folder" : ""));
    }
    return read(path.toString(), text, "a model is a mapping of settings, such as 'tiers: ...'");
  }

  /**
   * Reads a text whose root is a mapping of settings; JSON is YAML, too.
   *
   * @param name what the text is called in complaints
   * @param mapping the complaint about a root that is none
   */
  public static Entry read(String name, String text, String mapping) throws BadInput {
    Node node;
    try {
      node = new Yaml().compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      throw new BadInput("%s:%d: is not YAML: %s".formatted(name, line, oneLine(e.getProblem())));
    } catch (YAMLException e) {
      throw new BadInput(name + ": is not YAML: " + oneLine(e.getMessage()));
    }
    if (!(node instanceof MappingNode)) {
      throw new BadInput(name + ":1: " + mapping);
    }
    return new Entry(name, "", node.getStartMark().getLine() + 1, node);
  }

  private static String oneLine(@Nullable String text) {
    return text == null ? "it breaks off" : text.replaceAll("\\s+", " ").strip();
  }

  /** Name in full, such as {@code tiers.web.cores}; empty for the whole document. */
  public String name() {
    return name;
  }

  /** Line on which it stands, from 1. */
  public int line() {
    return line;
  }

  /** File in which it stands, as the user named it. */
  public String file() {
    return file;
  }

  /** A complaint: {@code message} continues the name of this setting. */
  public BadInput error(String message) {
    return new BadInput("%s:%d: %s".formatted(file, line, (name + " " + message).strip()));
  }

  /** The complaint that this setting breaks a rule, worded to follow "must be". */
  public BadInput mustBe(String rule) {
    return error("must be " + rule + ", but is " + shown());
  }

  /** The complaint of a check that knows the setting's own words. */
  public BadInput error(IllegalArgumentException cause) {
    String place = name.isEmpty() ? "" : name + ": ";
    return new BadInput("%s:%d: %s%s".formatted(file, line, place, cause.getMessage()));
  }

  public boolean isMapping() {
    return node instanceof MappingNode;
  }

  public boolean isList() {
    return node instanceof SequenceNode;
  }

  /** The settings in this one, none of which may be unknown. */
  public Group group(String... names) throws BadInput {
    return group(Arrays.asList(names));
  }

  /** The settings in this one, none of which may be unknown. */
  public Group group(Collection<String> names) throws BadInput {
    Map<String, Entry> members = members("a mapping of settings");
    for (Entry member : members.values()) {
      member.requireIn("setting", member.lastName(), names);
    }
    return new Group(this, members);
  }

  /** The settings in this one by names that the user chose, at least one. */
  public Map<String, Entry> named(String what) throws BadInput {
    Map<String, Entry> members = members("a mapping from names of " + what);
    if (members.isEmpty()) {
      throw error("must name at least one of its " + what);
    }
    return members;
  }

  private Map<String, Entry> members(String wanted) throws BadInput {
    if (!(node instanceof MappingNode mapping)) {
      throw mustBe(wanted);
    }
    Map<String, Entry> members = new LinkedHashMap<>();
    for (NodeTuple each : mapping.getValue()) {
      int at = each.getKeyNode().getStartMark().getLine() + 1;
      if (!(each.getKeyNode() instanceof ScalarNode key)) {
        throw new BadInput("%s:%d: the name of a setting must be a text".formatted(file, at));
      }
      String full = name.isEmpty() ? key.getValue() : name + "." + key.getValue();
      Entry member = new Entry(file, full, at, each.getValueNode());
      Entry first = members.putIfAbsent(key.getValue(), member);
      if (first != null) {
        throw member.error("stands here for the second time, first on line " + first.line);
      }
    }
    return members;
  }

  /** The elements of a list with at least one, or this value as the only element. */
  public List<Entry> elements() throws BadInput {
    if (!(node instanceof SequenceNode sequence)) {
      return List.of(this);
    }
    List<Entry> elements = new ArrayList<>();
    for (Node each : sequence.getValue()) {
      String element = name + "[" + (elements.size() + 1) + "]";
      elements.add(new Entry(file, element, each.getStartMark().getLine() + 1, each));
    }
    if (elements.isEmpty()) {
      throw error("must hold at least one value");
    }
    return elements;
  }

  public String text() throws BadInput {
    if (!(node instanceof ScalarNode scalar) || scalar.getValue().isBlank()) {
      throw mustBe("a text");
    }
    return scalar.getValue().strip();
  }

  /** One of a few words. */
  public String word(String what, Collection<String> words) throws BadInput {
    String word = text();
    requireIn(what, word, words);
    return word;
  }

  /** Requires that the last part of this setting's name, which the user chose, is known. */
  public void requireNameIn(String what, Collection<String> words) throws BadInput {
    requireIn(what, lastName(), words);
  }

  private void requireIn(String what, String word, Collection<String> words) throws BadInput {
    String wrong = "unknown %s '%s'; known: none".formatted(what, word);
    try {
      if (!words.isEmpty()) {
        Names.require(what, word, words);
        return;
      }
    } catch (IllegalArgumentException e) {
      wrong = String.valueOf(e.getMessage());
    }
    String place = word.equals(lastName()) ? parentName() : name;
    throw new BadInput(
        "%s:%d: %s%s".formatted(file, line, place.isEmpty() ? "" : place + ": ", wrong));
  }

  private String lastName() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private String parentName() {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  /** The two values of a text such as {@code 10 to 300}, or this value alone. */
  public List<Entry> ends() {
    if (!(node instanceof ScalarNode scalar)) {
      return List.of(this);
    }
    String[] texts = scalar.getValue().strip().split("\\s+to\\s+", 2);
    List<Entry> ends = new ArrayList<>();
    for (String text : texts) {
      Node end =
          new ScalarNode(
              Tag.STR, text, node.getStartMark(), node.getEndMark(), scalar.getScalarStyle());
      ends.add(texts.length == 1 ? this : new Entry(file, name, line, end));
    }
    return ends;
  }

  /** A whole number; underscores may part its digits. */
  public int whole(int least, int most) throws BadInput {
    String digits = text().replace("_", "");
    boolean tooMany = digits.matches("\\d{10,}");
    try {
      long value = Long.parseLong(digits);
      if (least <= value && value <= most) {
        return (int) value;
      }
    } catch (NumberFormatException e) {
      // Told below, with the rule.
    }
    throw mustBe(
        most == MOST && !tooMany
            ? "a whole number, %d or more".formatted(least)
            : "a whole number within %d..%d".formatted(least, most));
  }

  /** A number, 0 or more. */
  public double number() throws BadInput {
    return number(0, Double.MAX_VALUE, "a number, 0 or more");
  }

  /** A number within bounds. */
  public double number(double least, double most, String rule) throws BadInput {
    double value = Quantities.number(text().replace("_", ""));
    if (!(least <= value && value <= most)) {
      throw mustBe(rule);
    }
    return value;
  }

  /** Seconds of a duration such as {@code 25ms}, 0 or more. */
  public double seconds() throws BadInput {
    return seconds(text());
  }

  /** Seconds of a duration above 0. */
  public double positiveSeconds() throws BadInput {
    double seconds = seconds();
    if (seconds == 0) {
      throw mustBe("longer than 0");
    }
    return seconds;
  }

  private double seconds(String text) throws BadInput {
    double seconds = Quantities.seconds(text);
    if (Double.isNaN(seconds)) {
      throw mustBe("a duration with its unit, such as 500us, 25ms, 7s, 5m or 1h");
    }
    if (seconds < 0) {
      throw mustBe("a duration, 0 or longer");
    }
    return seconds;
  }

  /**
   * A rate such as {@code 128/s}.
   *
   * @param zero whether it may be 0
   */
  public double perSecond(boolean zero) throws BadInput {
    double rate = Quantities.perSecond(text().replace("_", ""));
    if (!(rate > 0) && !(zero && rate == 0)) {
      throw mustBe((zero ? "a rate of 0 or more" : "a rate above 0") + ", such as 128/s");
    }
    return rate;
  }

  /** The content as mappings, lists and scalars, for a record; only of a mapping. */
  public Map<String, Object> document() throws BadInput {
    Map<String, Object> document = new LinkedHashMap<>();
    for (Map.Entry<String, Entry> each : members("a mapping").entrySet()) {
      document.put(each.getKey(), each.getValue().content());
    }
    return document;
  }

  private Object content() throws BadInput {
    if (isMapping()) {
      return document();
    }
    if (isList()) {
      List<Object> content = new ArrayList<>();
      for (Entry each : elements()) {
        content.add(each.content());
      }
      return content;
    }
    String text = text();
    double number = Quantities.number(text.replace("_", ""));
    boolean numeric = node.getTag().equals(Tag.INT) || node.getTag().equals(Tag.FLOAT);
    if (!numeric || Double.isNaN(number)) {
      return text;
    }
    return number == Math.rint(number) ? (Object) (long) number : (Object) number;
  }

  /** The value as it stands in the file, on one line. */
  private String shown() {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue().isBlank() ? "nothing" : scalar.getValue().strip();
    }
    return isList() ? "a list" : "a mapping";
  }

  /** Some settings of one mapping. */
  public record Group(Entry entry, Map<String, Entry> members) {

    public @Nullable Entry get(String key) {
      return members.get(key);
    }

    public boolean has(String key) {
      return members.containsKey(key);
    }

    /**
     * A setting that must be there.
     *
     * @throws BadInput if it is missing
     */
    public Entry require(String key) throws BadInput {
      Entry found = members.get(key);
      if (found == null) {
        String place = entry.name.isEmpty() ? "" : entry.name + ": ";
        throw new BadInput(
            "%s:%d: %sthe setting '%s' is missing".formatted(entry.file, entry.line, place, key));
      }
      return found;
    }

    /** A whole number, or {@code otherwise} if it is not given. */
    public int whole(String key, int least, int most, int otherwise) throws BadInput {
      Entry found = members.get(key);
      return found == null ? otherwise : found.whole(least, most);
    }

    /** Seconds of a duration, or {@code otherwise} if it is not given. */
    public double seconds(String key, double otherwise) throws BadInput {
      Entry found = members.get(key);
      return found == null ? otherwise : found.seconds();
    }

    /** Complains about the first of {@code keys} that is there. */
    public void refuse(String why, String... keys) throws BadInput {
      for (String key : keys) {
        Entry found = members.get(key);
        if (found != null) {
          throw found.error(why);
        }
      }
    }
  }
}
