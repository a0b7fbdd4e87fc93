package io.poolkeeper.testbed.commands;

import java.util.Collection;
import java.util.Comparator;

/** Names that people write in configurations. */
public final class Names {

  private Names() {}

  /**
   * Returns {@code name} if it is one of {@code names}.
   *
   * @throws IllegalArgumentException with the nearest known name if it is not, or without one if it
   *     is empty
   */
  public static String require(String what, String name, Collection<String> names) {
    if (names.contains(name)) {
      return name;
    }
    String all = String.join(", ", names.stream().sorted().toList());
    if (name.isBlank()) {
      throw new IllegalArgumentException("the %s is empty; known: %s".formatted(what, all));
    }
    String nearest =
        names.stream()
            .min(
                Comparator.comparing((String other) -> !other.startsWith(name))
                    .thenComparingInt(other -> distance(name, other)))
            .orElseThrow();
    throw new IllegalArgumentException(
        "unknown %s '%s'; did you mean '%s'? known: %s".formatted(what, name, nearest, all));
  }

  /** Levenshtein distance: the fewest insertions, deletions and substitutions of a character. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
