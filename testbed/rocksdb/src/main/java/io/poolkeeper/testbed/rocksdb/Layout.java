package io.poolkeeper.testbed.rocksdb;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Column families and memtables of a database.
 *
 * @param families column families, which are flushed apart from each other
 * @param memtableMegabytes size of a memtable
 * @param memtables memtables of a family that may exist; writes wait for a flush when all are full
 * @param direct whether flushes and compactions go past the page cache
 * @param slowdown tables of level 0 at which writes are slowed down; they stop at twice as many
 * @param compact whether tables are compacted; without that level 0 slows nothing down
 */
record Layout(
    int families,
    int memtableMegabytes,
    int memtables,
    boolean direct,
    int slowdown,
    boolean compact) {

  /** The layout in which flushes queue: eight families with memtables of 8 MB. */
  static final String STANDARD =
      "families=8,memtable=8,memtables=4,direct=true,slowdown=20,compact=true";

  private static final List<String> NAMES =
      List.of("families", "memtable", "memtables", "direct", "slowdown", "compact");

  /**
   * Reads one such as {@link #STANDARD}; what is not given is as there.
   *
   * @throws IllegalArgumentException naming what is wrong
   */
  static Layout parse(String text) {
    Map<String, String> values = values(STANDARD);
    values.putAll(values(text));
    return new Layout(
        number(values, "families"),
        number(values, "memtable"),
        number(values, "memtables"),
        isTrue(values, "direct"),
        number(values, "slowdown"),
        isTrue(values, "compact"));
  }

  private static Map<String, String> values(String text) {
    return Arrays.stream(text.split(",", -1))
        .filter(part -> !part.isEmpty())
        .map(part -> part.split("=", -1))
        .peek(
            pair -> {
              if (pair.length != 2 || !NAMES.contains(pair[0])) {
                throw new IllegalArgumentException(
                    "a layout is a list such as %s, but holds '%s'"
                        .formatted(STANDARD, String.join("=", pair)));
              }
            })
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (a, b) -> b));
  }

  private static boolean isTrue(Map<String, String> values, String name) {
    String text = values.getOrDefault(name, "");
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException(
          "%s of a layout must be true or false, but is '%s'".formatted(name, text));
    }
    return text.equals("true");
  }

  private static int number(Map<String, String> values, String name) {
    String text = values.getOrDefault(name, "");
    if (!text.matches("[1-9]\\d{0,3}")) {
      throw new IllegalArgumentException(
          "%s of a layout must be from 1 to 9999, but is '%s'".formatted(name, text));
    }
    return Integer.parseInt(text);
  }

  /** Returns the bytes that all memtables can hold. */
  long memoryBytes() {
    return ((long) families * memtables * memtableMegabytes) << 20;
  }

  @Override
  public String toString() {
    return "families=%d,memtable=%d,memtables=%d,direct=%s,slowdown=%d,compact=%s"
        .formatted(families, memtableMegabytes, memtables, direct, slowdown, compact);
  }
}
