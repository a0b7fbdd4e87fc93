package io.tidepool.testbed.simulate.model;

import io.tidepool.spi.Names;
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

/** A value of a model file with its name and its line; every complaint about it says both. */
final class Entry {

  /** As large as a whole number may be where nothing else bounds it. */
  static final int MOST = 1_000_000_000;

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
  static Entry read(Path path) throws BadModel {
    String text;
    try {
      text = Files.readString(path);
    } catch (CharacterCodingException e) {
      throw new BadModel(path + ": is not UTF-8 text");
    } catch (NoSuchFileException e) {
      throw new BadModel(path + ": there is no such file");
    } catch (IOException e) {
      throw new BadModel(
          path + ": cannot be read" + (Files.isDirectory(path) ? ", it is a folder" : ""));
    }
    Node node;
    try {
      node = new Yaml().compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      throw new BadModel("%s:%d: is not YAML: %s".formatted(path, line, oneLine(e.getProblem())));
    } catch (YAMLException e) {
      throw new BadModel(path + ": is not YAML: " + oneLine(e.getMessage()));
    }
    if (!(node instanceof MappingNode)) {
      throw new BadModel(path + ":1: a model is a mapping of settings, such as 'tiers: ...'");
    }
    return new Entry(path.toString(), "", node.getStartMark().getLine() + 1, node);
  }

  private static String oneLine(@Nullable String text) {
    return text == null ? "it breaks off" : text.replaceAll("\\s+", " ").strip();
  }

  /** Name in full, such as {@code tiers.web.cores}; empty for the whole document. */
  String name() {
    return name;
  }

  /** Line on which it stands, from 1. */
  int line() {
    return line;
  }

  /** File in which it stands, as the user named it. */
  String file() {
    return file;
  }

  /** A complaint: {@code message} continues the name of this setting. */
  BadModel error(String message) {
    return new BadModel("%s:%d: %s".formatted(file, line, (name + " " + message).strip()));
  }

  /** The complaint that this setting breaks a rule, worded to follow "must be". */
  BadModel mustBe(String rule) {
    return error("must be " + rule + ", but is " + said());
  }

  /** The complaint of a check that knows the setting's own words. */
  BadModel error(IllegalArgumentException cause) {
    String place = name.isEmpty() ? "" : name + ": ";
    return new BadModel("%s:%d: %s%s".formatted(file, line, place, cause.getMessage()));
  }

  boolean isMapping() {
    return node instanceof MappingNode;
  }

  boolean isList() {
    return node instanceof SequenceNode;
  }

  /** The settings in this one, none of which may be unknown. */
  Group group(String... known) throws BadModel {
    return group(Arrays.asList(known));
  }

  /** The settings in this one, none of which may be unknown. */
  Group group(Collection<String> known) throws BadModel {
    Map<String, Entry> members = members("a mapping of settings");
    for (Entry member : members.values()) {
      member.known("setting", member.lastName(), known);
    }
    return new Group(this, members);
  }

  /** The settings in this one by names that the user chose, at least one. */
  Map<String, Entry> named(String what) throws BadModel {
    Map<String, Entry> members = members("a mapping from names of " + what);
    if (members.isEmpty()) {
      throw error("must name at least one of its " + what);
    }
    return members;
  }

  private Map<String, Entry> members(String wanted) throws BadModel {
    if (!(node instanceof MappingNode mapping)) {
      throw mustBe(wanted);
    }
    Map<String, Entry> members = new LinkedHashMap<>();
    for (NodeTuple each : mapping.getValue()) {
      int at = each.getKeyNode().getStartMark().getLine() + 1;
      if (!(each.getKeyNode() instanceof ScalarNode key)) {
        throw new BadModel("%s:%d: the name of a setting must be a text".formatted(file, at));
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
  List<Entry> elements() throws BadModel {
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

  String text() throws BadModel {
    if (!(node instanceof ScalarNode scalar) || scalar.getValue().isBlank()) {
      throw mustBe("a text");
    }
    return scalar.getValue().strip();
  }

  /** One of a few words. */
  String word(String what, Collection<String> words) throws BadModel {
    String word = text();
    known(what, word, words);
    return word;
  }

  private void known(String what, String word, Collection<String> words) throws BadModel {
    try {
      Names.require(what, word, words);
    } catch (IllegalArgumentException e) {
      String place = word.equals(lastName()) ? parentName() : name;
      throw new BadModel(
          "%s:%d: %s%s".formatted(file, line, place.isEmpty() ? "" : place + ": ", e.getMessage()));
    }
  }

  private String lastName() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private String parentName() {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  /** A whole number; underscores may part its digits. */
  int whole(int least, int most) throws BadModel {
    String digits = text().replace("_", "");
    try {
      long value = Long.parseLong(digits);
      if (least <= value && value <= most) {
        return (int) value;
      }
    } catch (NumberFormatException e) {
      // Told below, with the rule.
    }
    throw mustBe(
        most == MOST
            ? "a whole number, %d or more".formatted(least)
            : "a whole number within %d..%d".formatted(least, most));
  }

  /** A number, 0 or more. */
  double number() throws BadModel {
    return number(0, Double.MAX_VALUE, "a number, 0 or more");
  }

  /** A number within bounds. */
  double number(double least, double most, String rule) throws BadModel {
    double value = Quantities.number(text().replace("_", ""));
    if (!(least <= value && value <= most)) {
      throw mustBe(rule);
    }
    return value;
  }

  /** Seconds of a duration such as {@code 25ms}, 0 or more. */
  double seconds() throws BadModel {
    return seconds(text());
  }

  /** Seconds of a duration above 0. */
  double positiveSeconds() throws BadModel {
    double seconds = seconds();
    if (seconds == 0) {
      throw mustBe("longer than 0");
    }
    return seconds;
  }

  private double seconds(String text) throws BadModel {
    double seconds = Quantities.seconds(text);
    if (Double.isNaN(seconds)) {
      throw mustBe("a duration with its unit, such as 500us, 25ms, 7s, 5m or 1h");
    }
    if (seconds < 0) {
      throw mustBe("a duration, 0 or longer");
    }
    return seconds;
  }

  /** A rate such as {@code 128/s}, above 0. */
  double perSecond(boolean zero) throws BadModel {
    double rate = Quantities.perSecond(text());
    if (!(rate > 0) && !(zero && rate == 0)) {
      throw mustBe((zero ? "a rate of 0 or more" : "a rate above 0") + ", such as 128/s");
    }
    return rate;
  }

  /** The content as mappings, lists and scalars, for a record; only of a mapping. */
  Map<String, Object> document() throws BadModel {
    Map<String, Object> document = new LinkedHashMap<>();
    for (Map.Entry<String, Entry> each : members("a mapping").entrySet()) {
      document.put(each.getKey(), each.getValue().content());
    }
    return document;
  }

  private Object content() throws BadModel {
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
  private String said() {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue().isBlank() ? "nothing" : scalar.getValue().strip();
    }
    return isList() ? "a list" : "a mapping";
  }

  /** Some settings of one mapping. */
  record Group(Entry around, Map<String, Entry> members) {

    @Nullable Entry get(String key) {
      return members.get(key);
    }

    boolean has(String key) {
      return members.containsKey(key);
    }

    /**
     * @throws BadModel if it is missing
     */
    Entry require(String key) throws BadModel {
      Entry found = members.get(key);
      if (found == null) {
        String place = around.name.isEmpty() ? "" : around.name + ": ";
        throw new BadModel(
            "%s:%d: %sthe setting '%s' is missing".formatted(around.file, around.line, place, key));
      }
      return found;
    }

    /** A whole number, or {@code otherwise} if it is not given. */
    int whole(String key, int least, int most, int otherwise) throws BadModel {
      Entry found = members.get(key);
      return found == null ? otherwise : found.whole(least, most);
    }

    /** Seconds of a duration, or {@code otherwise} if it is not given. */
    double seconds(String key, double otherwise) throws BadModel {
      Entry found = members.get(key);
      return found == null ? otherwise : found.seconds();
    }

    /** Complains about the first of {@code keys} that is there. */
    void refuse(String why, String... keys) throws BadModel {
      for (String key : keys) {
        Entry found = members.get(key);
        if (found != null) {
          throw found.error(why);
        }
      }
    }
  }
}
